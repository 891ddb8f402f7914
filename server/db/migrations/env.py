"""Alembic's entry: runs the migrations on the connection it is handed."""

from alembic import context

from server.db.tables import Base

# The caller owns the transaction: all migrations or none.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
