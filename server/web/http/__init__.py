"""What routes share: the request's actor, problems as answers, ranges, limits, pages."""
