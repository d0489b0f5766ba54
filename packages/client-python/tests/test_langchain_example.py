"""The example in examples/langchain, with messages and results shaped like those of LangChain."""

from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

from realtime_state_client import StateClient
from state_callback import StateCallback


def take_turn(callback: StateCallback, user_message: str, ai_response: str) -> str:
    """Calls the callback as a chain does. Returns the instruction of the system prompt."""
    instruction = callback.instruction()
    messages = [SimpleNamespace(type="system", content=instruction), SimpleNamespace(type="human", content=user_message)]
    callback.on_chat_model_start({}, [messages], run_id=uuid4())
    callback.on_llm_end(SimpleNamespace(generations=[[SimpleNamespace(text=ai_response)]]), run_id=uuid4())
    return instruction


def test_the_text_of_a_turn_is_sent_before_the_next_response() -> None:
    client = StateClient()
    session_id, subject_id = str(uuid4()), str(uuid4())
    signals: list[dict[str, Any] | None] = [None, {"heart_rate": 95}, {"heart_rate": 96}, None]
    callback = StateCallback(
        client, session_id=session_id, subject_id=subject_id, signals=lambda: signals.pop(0), timeout_ms=30_000
    )
    assert take_turn(callback, "My exam is tomorrow and I panic.", "Which part of the exam worries you?") == ""
    assert take_turn(callback, "The second part.", "Start with its first page.") != ""
    assert callback.reading is not None and callback.reading["topics_detected"] == ["exams"]
    take_turn(callback, "Thanks.", "Good luck.")
    assert callback.reading["adaptation_effectiveness"]["current_score"] == callback.reading["stress_score"]
    assert take_turn(callback, "Bye.", "Bye.") == client.state(subject_id=subject_id)["recommendation"]


def test_the_model_responds_without_a_service() -> None:
    client = StateClient("http://127.0.0.1:9", "sk_1")
    callback = StateCallback(client, session_id="s1", subject_id="p1", signals=lambda: {"heart_rate": 90})
    assert callback.instruction() == ""


def test_an_outdated_state_does_not_change_the_prompt() -> None:
    readings = [{"confidence": 0}, {"recommendation": "Answer briefly.", "confidence": 0.1}]
    client = cast(StateClient, SimpleNamespace(state=lambda **_: readings.pop(0)))
    callback = StateCallback(client, session_id="s1", subject_id="p1")
    assert [callback.instruction(), callback.instruction()] == ["", "Answer briefly."]
