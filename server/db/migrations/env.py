"""Alembic's entry: runs the migrations on the connection it is handed, or prints their SQL."""

from alembic import context

from server.db.tables import Base

connection = context.config.attributes.get("connection")
if connection is not None:
    # The caller owns the transaction: all migrations or none.
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        transactional_ddl=True,
    )
    context.run_migrations()
else:
    context.configure(
        url=context.config.get_main_option("sqlalchemy.url"),
        target_metadata=Base.metadata,
        literal_binds=True,
    )
    with context.begin_transaction():
        context.run_migrations()
