/** Returns a body, parsed if it is JSON. Undefined without a body. */
export function bodyOf(text: string, contentType: string | null): unknown {
  const isJson = /[/+]json(;|$)/.test(contentType ?? '');
  if (contentType !== null && !isJson) return text;
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * Returns the body of a response as text, and parsed if it is JSON. Returns only the first chunk of a stream and closes
 * it.
 */
export async function textOf(answer: Response): Promise<{ readonly text: string; readonly body: unknown }> {
  if (answer.headers.get('content-type') === 'text/event-stream' && answer.body) {
    const reader = answer.body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const text = new TextDecoder().decode(value);
    return { text, body: text };
  }
  const text = await answer.text();
  return { text, body: bodyOf(text, answer.headers.get('content-type')) };
}
