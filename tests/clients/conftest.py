"""LiteLLM asks the network for its prices when it is imported; here it has to do with those it brings."""

import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
