"""Own words of a message."""

# Generated from packages/text/own-words.ts by `npm run generate`. Edit that file instead.

import re

TAGS = frozenset(
    {
        "attachment",
        "attachments",
        "bash-input",
        "bash-stderr",
        "bash-stdout",
        "blockquote",
        "chat_history",
        "chunk",
        "command-message",
        "command-name",
        "context",
        "contextitem",
        "conversation_history",
        "document",
        "documents",
        "environment_details",
        "explicit_instructions",
        "file",
        "file_content",
        "files",
        "final_file_content",
        "folder_content",
        "function_results",
        "git_commit",
        "git_working_state",
        "ide_opened_file",
        "ide_selection",
        "local-command-stderr",
        "local-command-stdout",
        "memory",
        "retrieved_context",
        "retrieved_documents",
        "search_results",
        "source",
        "sources",
        "system-reminder",
        "task-notification",
        "terminal_output",
        "tool_result",
        "tool_results",
        "type",
        "url_content",
        "user-prompt-submit-hook",
        "user_context",
        "workspace_diagnostics",
    }
)
OWN_TAGS = frozenset(
    {
        "answer",
        "feedback",
        "task",
        "user_message",
    }
)
PROMPTS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None, re.Pattern[str] | None], ...] = (
    (
        re.compile(r"^\s*### Task:", re.ASCII),
        re.compile(r"</(?:context|chat_history)>|<user_query>", re.ASCII | re.IGNORECASE),
        re.compile(r"</user_query>", re.ASCII | re.IGNORECASE),
    ),
    (
        re.compile(r"^\s*Use the following pieces of context to answer", re.ASCII),
        re.compile(r"^(?:Question|User question):", re.ASCII | re.MULTILINE),
        re.compile(r"^(?:Helpful )?Answer:", re.ASCII | re.MULTILINE),
    ),
    (
        re.compile(r"^\s*You are an assistant for question-answering tasks\. Use the following pieces of retrieved context", re.ASCII),
        re.compile(r"^\s*You are an assistant[\s\S]*?^Question:", re.ASCII | re.MULTILINE),
        re.compile(r"^Context:", re.ASCII | re.MULTILINE),
    ),
    (
        re.compile(r"^\s*Given the following conversation and a follow up question, rephrase the follow up question to be a", re.ASCII),
        None,
        None,
    ),
    (
        re.compile(r"^\s*Provide a concise, 5-word-or-less title for the conversation\b[\s\S]{0,300}\bonly return the title", re.ASCII | re.IGNORECASE),
        None,
        None,
    ),
    (
        re.compile(r"^\s*Analyze this conversation and provide:\s+1\. The detected language of the conversation\s+2\. A", re.ASCII),
        None,
        None,
    ),
    (
        re.compile(r"^\s*Please generate a concise title \(max 40 characters\) for a conversation that starts with", re.ASCII | re.IGNORECASE),
        None,
        None,
    ),
)
ANY_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?:\s[^<>]*)?>", re.ASCII | re.IGNORECASE)
RESULT_HEADER = re.compile(r"^\[\w+(?: for '[^'\n]*')?\] Result:", re.ASCII | re.MULTILINE)
LEAD_IN = re.compile(r"^Attached document\(s\):[ \t]*$", re.ASCII | re.MULTILINE)
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.ASCII)
MAY_HAVE_OTHERS = re.compile(r"[<>]|```|~~~|\] Result:|the following |conversation", re.ASCII)
