"""Frameworks that people build on, against `moot serve` over `moot simulate`: a chat, a stream, and structure by a forced tool.

`make test-clients` sets up an environment for each, in the folder that MOOT_CLIENTS names. Each program says what it got as its
last line, so that one test holds for all.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

MOOT = [sys.executable, "-m", "moot"]
KEY = "sesame"

PYDANTIC_AI = """
import asyncio, importlib.metadata, json, os
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

class City(BaseModel):
    city: str
    inhabitants: int

async def main():
    provider = OpenAIProvider(base_url=os.environ["MOOT_URL"], api_key=os.environ["MOOT_KEY"])
    model = OpenAIChatModel("three/talkative", provider=provider)
    chat = (await Agent(model, system_prompt="Be brief.").run("Which river?")).output
    pieces = []
    async with Agent(model, system_prompt="Be brief.").run_stream("Which river?") as stream:
        async for piece in stream.stream_text(delta=True, debounce_by=None):
            pieces.append(piece)
    # Its way to structure is a tool that must be called.
    city = (await Agent(model, output_type=City).run("Which city has most inhabitants?")).output
    return {"chat": chat, "stream": "".join(pieces), "pieces": len(pieces), "city": city.model_dump()}

print(json.dumps({**asyncio.run(main()), "version": importlib.metadata.version("pydantic-ai-slim")}))
"""

INSTRUCTOR = """
import importlib.metadata, json, os
import instructor
from openai import OpenAI
from pydantic import BaseModel

class City(BaseModel):
    city: str
    inhabitants: int

plain = OpenAI(base_url=os.environ["MOOT_URL"], api_key=os.environ["MOOT_KEY"], max_retries=0)
client = instructor.from_openai(plain, mode=instructor.Mode.TOOLS)
asked = {"model": "three/talkative", "messages": [{"role": "user", "content": "Which river?"}]}
chat = client.chat.completions.create(response_model=None, **asked).choices[0].message.content
stream = plain.chat.completions.create(stream=True, **asked)
pieces = [each.choices[0].delta.content for each in stream if each.choices and each.choices[0].delta.content]
city = client.chat.completions.create(response_model=City, max_retries=0, **asked)
partial = list(client.chat.completions.create_partial(response_model=City, max_retries=0, **asked))
assert isinstance(partial[-1].inhabitants, int), partial
print(json.dumps({"chat": chat, "stream": "".join(pieces), "pieces": len(pieces), "city": city.model_dump(),
                  "version": importlib.metadata.version("instructor")}))
"""

LANGCHAIN = """
import importlib.metadata, json, os
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

class City(BaseModel):
    city: str
    inhabitants: int

model = ChatOpenAI(model="three/talkative", base_url=os.environ["MOOT_URL"], api_key=os.environ["MOOT_KEY"], max_retries=0)
chat = model.invoke([("system", "Be brief."), ("human", "Which river?")]).text
pieces = [piece.text for piece in model.stream([("system", "Be brief."), ("human", "Which river?")]) if piece.text]
city = model.with_structured_output(City, method="function_calling").invoke("Which city has most inhabitants?")
other = model.with_structured_output(City, method="json_schema").invoke("Which city has most inhabitants?")
assert isinstance(other, City)
print(json.dumps({"chat": chat, "stream": "".join(pieces), "pieces": len(pieces), "city": city.model_dump(),
                  "version": importlib.metadata.version("langchain-openai")}))
"""

LLAMA_INDEX = """
import importlib.metadata, json, os
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

class City(BaseModel):
    city: str
    inhabitants: int

model = OpenAILike(model="three/talkative", api_base=os.environ["MOOT_URL"], api_key=os.environ["MOOT_KEY"],
                   is_chat_model=True, is_function_calling_model=True, max_retries=0)
asked = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="Which river?")]
chat = model.chat(asked).message.content
pieces = [piece.delta for piece in model.stream_chat(asked) if piece.delta]
city = model.as_structured_llm(City).complete("Which city has most inhabitants?").raw
print(json.dumps({"chat": chat, "stream": "".join(pieces), "pieces": len(pieces), "city": city.model_dump(),
                  "version": importlib.metadata.version("llama-index-llms-openai-like")}))
"""

VERCEL = """
import { readFileSync } from "node:fs";
import { generateText, Output, streamText, tool } from "ai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { z } from "zod";

const moot = createOpenAICompatible({
  name: "moot", baseURL: process.env.MOOT_URL, apiKey: process.env.MOOT_KEY, supportsStructuredOutputs: true,
});
const model = moot("three/talkative");
const City = z.object({ city: z.string(), inhabitants: z.number().int() });
const asked = { model, system: "Be brief.", prompt: "Which river?", maxRetries: 0 };
const { text: chat } = await generateText(asked);
const pieces = [];
for await (const piece of streamText(asked).textStream) pieces.push(piece);
const { toolCalls } = await generateText({
  model, prompt: "Which city has most inhabitants?", maxRetries: 0,
  tools: { city: tool({ description: "Keep a city", inputSchema: City }) }, toolChoice: { type: "tool", toolName: "city" },
});
const { output } = await generateText({
  model, prompt: "Which city has most inhabitants?", maxRetries: 0, output: Output.object({ schema: City }),
});
City.parse(output);
const { version } = JSON.parse(readFileSync(new URL("./node_modules/ai/package.json", import.meta.url)));
const city = City.parse(toolCalls[0].input);
console.log(JSON.stringify({ chat, stream: pieces.join(""), pieces: pieces.length, city, version }));
"""


PROGRAMS = {
    "pydantic-ai": PYDANTIC_AI,
    "instructor": INSTRUCTOR,
    "langchain": LANGCHAIN,
    "llama-index": LLAMA_INDEX,
    "vercel-ai-sdk": VERCEL,
}


def command(name: str, folder: Path) -> list[str]:
    every = os.environ.get("MOOT_CLIENTS")
    if not every:
        pytest.skip(f"{name} has an environment of its own: run make test-clients")
    place = Path(every) / name
    if name != "vercel-ai-sdk":
        return [str(place / "bin/python"), "-c", PROGRAMS[name]]
    if (node := shutil.which("node")) is None:
        pytest.skip("needs Node.js")
    (folder / "node_modules").symlink_to(place / "node_modules")
    (folder / "client.mjs").write_text(PROGRAMS[name], encoding="utf-8")
    return [node, str(folder / "client.mjs")]


def started(process: subprocess.Popen[str]) -> str:
    """The address that a server says it listens on."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    raise AssertionError("it ended before it listened")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The two commands as anybody starts them."""
    folder = tmp_path_factory.mktemp("served")
    environment = {**os.environ, "TEAM_KEY": KEY}
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> str:
        processes.append(
            subprocess.Popen([*MOOT, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        )
        return started(processes[-1])

    try:
        simulated = start("simulate", "--port", "0")
        players = ["ann", "bob", "cat"]
        team = {
            "name": "three",
            "models": {n: {"provider": "endpoint", "base_url": f"{simulated}/v1", "model": n} for n in players},
            "teams": {"three": {"players": players, "captain": "ann"}},
            "strategies": ["talkative", "vote"],
        }
        (folder / "team.yaml").write_text(yaml.safe_dump(team), encoding="utf-8")
        yield start("serve", "team.yaml", "--all", "--port", "0", "--key-env", "TEAM_KEY")
    finally:
        for process in reversed(processes):
            process.terminate()
            process.communicate(timeout=30)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_chat_a_stream_and_a_forced_tool(name: str, served: str, tmp_path: Path) -> None:
    variables = {**os.environ, "MOOT_URL": f"{served}/v1", "MOOT_KEY": KEY}
    asked = command(name, tmp_path)
    done = subprocess.run(asked, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    got: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name} {got['version']}")
    assert got["chat"]
    assert got["stream"] == got["chat"]
    assert got["pieces"] >= 1
    assert got["city"].keys() == {"city", "inhabitants"}
    assert isinstance(got["city"]["inhabitants"], int)
