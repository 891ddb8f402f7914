"""What routes share: the request's actor, errors as responses, downloads, limits, pages."""
