"""What the studio's templates show."""
