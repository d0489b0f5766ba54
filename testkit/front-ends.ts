/** Messages as front ends send them: the person's words, and words of others. In the forms of their public source. */
export const frontEnds: Readonly<Record<string, (own: string, others: string) => string>> = {
  'Open WebUI': (own, others) =>
    `### Task:\nRespond to the user query using the provided context, with citations.\n\n### Guidelines:\n- Ask if you are unsure.\n\n<context>\n<source id="1" name="notes.pdf">${others}</source>\n</context>\n\n${own}`,
  LibreChat: (own, others) => `Attached document(s):\n\`\`\`md# "notes.md"\n${others}\n\n\`\`\`\n${own}`,
  Cline: (own, others) =>
    `<task>\n${own}\n</task>\n\n<file_content path="notes.md">\n${others}\n</file_content>\n\n<environment_details>\n# VSCode Open Tabs\nnotes.md\n</environment_details>`,
  'Claude Code': (own, others) => `<system-reminder>\nThe user opened a file.\n${others}\n</system-reminder>\n\n${own}`,
  n8n: (own, others) =>
    `Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know.\n\n${others}\n\nQuestion: ${own}\nAnswer:`,
  'quoted reply': (own, others) => `> ${others.replaceAll('\n', '\n> ')}\n\n${own}`,
};

/** Forms in which a person pastes the words of others below their own. */
export const pastedForms: Readonly<Record<string, (others: string) => string>> = {
  'forwarded mail': (others) => `---------- Forwarded message ---------\nFrom: Anna <a@example.com>\n\n${others}`,
  'mail with headers': (others) => `From: Anna\nSent: Monday\nTo: Ben\nSubject: x\n\n${others}`,
  'mail with an attribution': (others) => `On Mon, 3 Mar 2025 at 10:12, Anna wrote:\n${others}`,
  quotation: (others) => `She wrote: "${others}"`,
  WhatsApp: (others) => `[12/03/24, 10:15:03] Anna: ${others}\n[12/03/24, 10:15:09] Ben: ok`,
  'WhatsApp, Android': (others) => `12/03/2024, 10:15 - Anna: ${others}\n12/03/2024, 10:16 - Ben: ok`,
  Slack: (others) => `Anna Smith  10:15 AM\n${others}`,
  Discord: (others) => `Anna — Today at 10:15 AM\n${others}`,
  Telegram: (others) => `Anna, [12.03.24 10:15]\n${others}`,
  subtitles: (others) => `1\n00:00:01,000 --> 00:00:04,000\n${others}`,
  JSON: (others) => JSON.stringify([{ role: 'user', content: others }]),
  YAML: (others) => `- role: user\n  content: ${others}`,
  speakers: (others) => `Anna: ${others}\nBen: No.\nAnna: Yes.`,
  log: (others) => `2025-03-12 10:15:03 INFO chat: ${others}`,
  quote: (others) => `> ${others}`,
  fence: (others) => `\`\`\`text\n${others}\n\`\`\``,
};

export const ownQuestion = 'Can you tell me which of these is the shorter one?';
export const othersPassage = 'The first match was played in 1902, and the trophy was made by a jeweler from Turin.';
