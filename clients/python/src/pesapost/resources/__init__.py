"""The calls of the API, by the item that they are about."""
