"""The HTTP routes: parse, call the service, respond."""

from server.contract import compile_seldom_models

compile_seldom_models()  # FastAPI reads their schemas as a module of this folder adds its routes
