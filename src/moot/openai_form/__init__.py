"""The OpenAI chat form, seen from a server: requests read, replies written."""
