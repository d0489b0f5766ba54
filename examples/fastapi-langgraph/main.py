"""A chat with FastAPI and LangGraph, whose model adapts to the state of the person.

pip install fastapi uvicorn langgraph langchain-openai "$CHECKOUT/packages/client-python"
SERVICE_URL=http://127.0.0.1:8080 SERVICE_KEY=sk_… OPENAI_API_KEY=… uvicorn main:app
curl -s localhost:8000/chat -H 'Content-Type: application/json' -d '{"session_id": "s1", "message": "My exam is tomorrow."}'
"""

from typing import Any

from fastapi import FastAPI
from langchain_core.messages import SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel
from realtime_state_client import AsyncStateClient, StateClientError, now

# Reads SERVICE_URL and SERVICE_KEY.
client = AsyncStateClient()
model = ChatOpenAI(model="gpt-4o-mini")


class State(MessagesState):
    session_id: str
    instruction: str


async def read_state(state: State) -> dict[str, Any]:
    """Sends the message with the previous response, and returns the recommendation. Without the service, none."""
    *earlier, message = state["messages"]
    reading: dict[str, Any] = {
        "session_id": state["session_id"],
        "subject_id": "demo-langgraph",  # set by trusted code: the hashed id of the user
        "timestamp": now(),
        "user_message": message.content,
        "derive_sentiment": True,
    }
    if earlier:
        reading["ai_response"] = earlier[-1].content
    try:
        result = await client.ingest(reading, timeout_ms=1000, max_retries=0)
    except StateClientError as error:
        print(f"no state: {error}")
        return {"instruction": ""}
    return {"instruction": result.get("recommendation", "")}


async def respond(state: State) -> dict[str, Any]:
    system = SystemMessage(f"You are a coach. {state['instruction']}")
    return {"messages": [await model.ainvoke([system, *state["messages"]])]}


graph = StateGraph(State)
graph.add_node("read_state", read_state)
graph.add_node("respond", respond)
graph.add_edge(START, "read_state")
graph.add_edge("read_state", "respond")
chat = graph.compile(checkpointer=InMemorySaver())
app = FastAPI()


class Message(BaseModel):
    session_id: str
    message: str


@app.post("/chat")
async def post_chat(body: Message) -> dict[str, str]:
    turn = {"messages": [("user", body.message)], "session_id": body.session_id}
    result = await chat.ainvoke(turn, {"configurable": {"thread_id": body.session_id}})
    return {"answer": result["messages"][-1].content, "instruction": result["instruction"]}
