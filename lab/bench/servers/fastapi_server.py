"""
A plain FastAPI service, one worker: validates a reading, locks the row of its session and inserts the reading, in one
transaction. Debian: python3-fastapi, python3-uvicorn, python3-aiomysql. Requires DATABASE_URL of MySQL or MariaDB.
"""

import asyncio
import os
import socket
from datetime import datetime
from typing import Optional
from urllib.parse import urlsplit

import aiomysql
import pymysql
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, Extra, Field

TABLES = [
    """create table if not exists sessions (
         session_id varchar(256) character set ascii collate ascii_bin primary key,
         readings int not null,
         last_reading text not null)""",
    """create table if not exists readings (
         id bigint auto_increment primary key,
         session_id varchar(256) character set ascii collate ascii_bin not null,
         timestamp_ms bigint not null,
         body text not null,
         index (session_id, timestamp_ms))""",
]
UPSERT = """insert into sessions (session_id, readings, last_reading) values (%s, 1, %s)
  on duplicate key update readings = readings + 1, last_reading = values(last_reading)"""
INSERT = "insert into readings (session_id, timestamp_ms, body) values (%s, %s, %s)"
TRIES_MAX = 5
DEADLOCK = 1213


class Reading(BaseModel):
    session_id: str = Field(min_length=1, max_length=256)
    subject_id: Optional[str] = Field(None, min_length=1, max_length=256)
    timestamp: datetime
    heart_rate: Optional[float] = Field(None, ge=20, le=250)
    hrv: Optional[float] = Field(None, ge=0, le=500)
    sentiment: Optional[float] = Field(None, ge=-1, le=1)
    tone: Optional[str] = None
    expression: Optional[str] = None
    user_message: Optional[str] = Field(None, max_length=8192)
    ai_response: Optional[str] = Field(None, max_length=8192)

    class Config:
        extra = Extra.allow


app = FastAPI()


@app.on_event("startup")
async def open_pool() -> None:
    url = urlsplit(os.environ["DATABASE_URL"])
    app.state.pool = await aiomysql.create_pool(
        host=url.hostname,
        port=url.port or 3306,
        user=url.username,
        password=url.password or "",
        db=url.path[1:],
        # Prevents gap locks between new sessions, as in (c).
        init_command="set session transaction isolation level read committed",
    )
    async with app.state.pool.acquire() as connection, connection.cursor() as cursor:
        for table in TABLES:
            await cursor.execute(table)


@app.post("/v1/ingest")
async def ingest(reading: Reading) -> dict:
    body = reading.json(exclude_none=True)
    async with app.state.pool.acquire() as connection:
        for attempt in range(1, TRIES_MAX + 1):
            try:
                await store(connection, reading, body)
                break
            except pymysql.err.OperationalError as error:
                await connection.rollback()
                if error.args[0] != DEADLOCK or attempt == TRIES_MAX:
                    raise
    return {"session_id": reading.session_id, "timestamp": reading.timestamp, "state": "calm", "stress_score": 20}


async def store(connection: aiomysql.Connection, reading: Reading, body: str) -> None:
    timestamp_ms = int(reading.timestamp.timestamp() * 1000)
    async with connection.cursor() as cursor:
        await connection.begin()
        await cursor.execute("select last_reading from sessions where session_id = %s for update", reading.session_id)
        await cursor.execute(UPSERT, (reading.session_id, body))
        await cursor.execute(INSERT, (reading.session_id, timestamp_ms, body))
        await connection.commit()


listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(f"Listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning"))
asyncio.run(server.serve(sockets=[listener]))
