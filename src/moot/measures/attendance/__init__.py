"""Who was there: how often everybody was asked, and how often it had nothing to say."""
