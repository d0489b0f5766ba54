"""A callback for LangChain that lets a chat model adapt to the person's state. Copy it into your project.

    from langchain_core.callbacks import BaseCallbackHandler

    class StateHandler(StateCallback, BaseCallbackHandler): ...

    handler = StateHandler(client, session_id="demo", subject_id="5f2b51ca2b4d1a7e", signals=newest_signals)
    prompt = ChatPromptTemplate.from_messages([("system", "You are a coach. {instruction}"), ("human", "{input}")])
    chain = RunnablePassthrough.assign(instruction=lambda _: handler.instruction()) | prompt | model
    chain.invoke({"input": "My exam is tomorrow."}, config={"callbacks": [handler]})
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from realtime_state_client import CallOptions, ProblemError, StateClient, StateClientError, now
from realtime_state_client.schemas import StateReading, Submission


class StateCallback:
    """Reads the state before a response, and sends the text of a turn with the next signals. One per conversation."""

    def __init__(
        self,
        client: StateClient,
        *,
        session_id: str,
        subject_id: str,
        signals: Callable[[], dict[str, Any] | None] = lambda: None,
        timeout_ms: int = 1000,
    ) -> None:
        """
        `signals` returns what was sensed since the last turn, e.g. `{"heart_rate": 88}`, or None. The person waits for the
        response, so the model responds without a state after `timeout_ms`.
        """
        self._call: CallOptions = {"timeout_ms": timeout_ms, "max_retries": 0}
        self._client, self._session_id, self._subject_id, self._signals = client, session_id, subject_id, signals
        self._user_message = ""
        self._turn: dict[str, str] = {}
        #: The state before the newest response. `adaptation_effectiveness` rates the previous recommendation.
        self.reading: StateReading | None = None

    def instruction(self) -> str:
        """Returns an instruction for the system prompt. Empty without a current state: the model responds as usual."""
        try:
            self.reading = self._current_state()
        except StateClientError as error:
            is_new = isinstance(error, ProblemError) and error.status == 404
            if not is_new:
                print(f"no state: {error}")
            self.reading = None
        # A state without confidence has no recommendation.
        return self.reading.get("recommendation", "") if self.reading else ""

    def on_chat_model_start(self, serialized: dict[str, Any], messages: Sequence[Sequence[Any]], **_: Any) -> None:
        texts = [message.content for message in messages[0] if message.type == "human"]
        self._user_message = texts[-1] if texts else ""

    def on_llm_end(self, response: Any, **_: Any) -> None:
        ai_response = response.generations[0][0].text
        if self._user_message and ai_response:
            self._turn = {"user_message": self._user_message, "ai_response": ai_response}

    def _current_state(self) -> StateReading:
        signals = self._signals()
        if signals is None:
            return self._client.state(subject_id=self._subject_id, **self._call)
        person = {"session_id": self._session_id, "subject_id": self._subject_id}
        reading = {"timestamp": now(), **signals, **person, **self._turn}
        return self._client.ingest(cast(Submission, reading), **self._call)
