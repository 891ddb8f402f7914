"""The studio's pages, one module each: parse, call, render."""
