"""The web application: routes, pages, and the process that serves them."""
