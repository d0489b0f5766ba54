/** Changes JSON as text, so that everything outside of the change stays the same, byte for byte. */

/** A member of an object or array: `json.slice(start, end)` is its value. */
export interface Member {
  /** Empty in an array. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the members of the object or array that starts at the index. Requires valid JSON. */
export function findMembers(json: string, at: number): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let key = '';
  let start = at + 1;
  for (let index = at; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === '{' || character === '[') depth += 1;
    else if (depth === 1 && character === ':') {
      key = JSON.parse(json.slice(start, index)) as string;
      start = index + 1;
    } else if (character === '}' || character === ']' || (depth === 1 && character === ',')) {
      const value = json.slice(start, index);
      if (depth === 1 && value.trim() !== '')
        members.push({ key, start: index - value.trimStart().length, end: start + value.trimEnd().length });
      if (depth === 1) start = index + 1;
      if (character !== ',') depth -= 1;
      if (depth === 0) break;
    }
  }
  return members;
}

/** Returns the member of the outermost object that `JSON.parse` uses: the last one with this key. */
export function findField(json: string, key: string): Member | undefined {
  return findMembers(json, json.indexOf('{')).findLast((member) => member.key === key);
}

export function insertAt(json: string, at: number, text: string): string {
  return json.slice(0, at) + text + json.slice(at);
}

/** Returns the index of the closing quote. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}
