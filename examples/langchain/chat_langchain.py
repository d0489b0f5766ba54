from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI

from realtime_state_client import StateClient
from state_callback import StateCallback

class StateHandler(StateCallback, BaseCallbackHandler): ...

handler = StateHandler(
    StateClient(),
    session_id="demo-langchain-callback",
    subject_id="5f2b51ca2b4d1a7e",
    signals=lambda: {"heart_rate": 112, "tone": "tense"},  # the newest values of your sensors
)
prompt = ChatPromptTemplate.from_messages([("system", "You are a coach. {instruction}"), ("human", "{input}")])
chain = RunnablePassthrough.assign(instruction=lambda _: handler.instruction()) | prompt | ChatOpenAI(model="gpt-4o-mini")

for message in ["My exam is tomorrow and I panic.", "The second part."]:
    response = chain.invoke({"input": message}, config={"callbacks": [handler]})
    print(handler.reading["state"] if handler.reading else "no state", "→", response.content)
