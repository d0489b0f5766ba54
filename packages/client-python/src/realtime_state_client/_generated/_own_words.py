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
OWN_SPEAKERS = frozenset(
    {
        "I",
        "Me",
        "Myself",
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
FORMS: tuple[re.Pattern[str], ...] = (
    re.compile(r"^[ \t]*(?:-{3,} ?(?:Original Message|Forwarded message) ?-{3,}|Begin forwarded message:)[\s\S]*", re.ASCII | re.IGNORECASE | re.MULTILINE),
    re.compile(r"^(?:(?:From|To|Cc|Date|Sent|Subject|Reply-To):[ \t][^\n]*\n){2}[\s\S]*", re.ASCII | re.MULTILINE),
    re.compile(r"^On [^\n]{3,120} wrote:[ \t]*(?:\n[^\n]+)*", re.ASCII | re.MULTILINE),
    re.compile(r"\b(?:he|she|they|[A-Z][a-z]+) (?:said|says|wrote|writes|texted):[ \t]*\n?[ \t]*(?:\"[^\"\n]*\"|“[^”\n]*”)", re.ASCII),
    re.compile(r"^(?:\d+\n)?(?:\d+:)?\d+:\d\d[.,]\d{3} --> [^\n]*(?:\n[^\n]+)*", re.ASCII | re.MULTILINE),
    re.compile(r"^\[?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?[T ] ?)?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?(?:\]| -)? (?!(?:Me|I|You):)[A-Z][^\n:]{0,40}: [^\n]*", re.ASCII | re.MULTILINE),
    re.compile(r"^(?!(?:Me|I|You)\b)[A-Z][^\n:,—]{0,40}(?:  | — |, \[)[^\n:]{0,20}\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?(?:\n[^\n]+)+", re.ASCII | re.MULTILINE),
    re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\n ]* \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[^\n]*", re.ASCII | re.MULTILINE),
    re.compile(r"\"(?:role|author|sender|user|name|content|text|message|body)\"[ \t]*:[ \t]*\"(?:[^\"\\\n]|\\[^\n])*\"", re.ASCII),
    re.compile(r"^[ \t]*(?:- )?(?:role|author|sender|from|name|user): [^\n]*\n[ \t]*(?:content|text|message|body): [^\n]*(?:\n[ \t]{2,}[^\n]+)*", re.ASCII | re.MULTILINE),
)
ANY_TAG = re.compile(r"<(/?)([a-z][\w-]*)(?:\s[^<>]*)?>", re.ASCII | re.IGNORECASE)
RESULT_HEADER = re.compile(r"^\[\w+(?: for '[^'\n]*')?\] Result:", re.ASCII | re.MULTILINE)
LEAD_IN = re.compile(r"^Attached document\(s\):[ \t]*$", re.ASCII | re.MULTILINE)
FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})(.*)$", re.ASCII)
MAY_HAVE_OTHERS = re.compile(r"[<>]|```|~~~|\] Result:|the following |conversation|\d:\d\d|\":|[a-z]:(?:[ \t]|$)|--- ", re.ASCII | re.MULTILINE)
SPEAKER = re.compile(r"^([A-Z][\w.'-]{0,20}(?: [A-Z0-9][\w.'-]{0,20})?):[ \t]+\S", re.ASCII)
SPOKEN_LINE = re.compile(r"^[^\n:]*:[ \t]+\S+(?:[ \t]+\S+){3}", re.ASCII)
QUOTED_OTHERS = re.compile(r"^[ \t]*>[ \t]*(?:>|[A-Z][\w .'-]{0,40}:|On [^\n]* wrote:)", re.ASCII | re.MULTILINE)
NO_WORDS = re.compile(r"^[\x00-@[-`{-~]*$", re.ASCII)
LINE_END = re.compile(r"\r\n?|[\u2028\u2029]", re.ASCII)
PLAIN_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*$", re.ASCII | re.MULTILINE)
QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?", re.ASCII | re.MULTILINE)
NAMED_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[^`~\s]", re.ASCII | re.MULTILINE)
