"""How teams decided from drafts: how few players a cascade asked, and whose voice counts."""
