/** Search words of readers, with the words that the documentation uses instead. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  authentication: ['keys'],
  authorization: ['keys'],
  credentials: ['keys'],
  login: ['keys'],
  password: ['keys', 'secret'],
  token: ['keys', 'api key'],
  docker: ['container'],
  kubernetes: ['container'],
  podman: ['container'],
  deploy: ['operations', 'container'],
  environment: ['configuration'],
  settings: ['configuration'],
  variables: ['configuration'],
  monitoring: ['metrics'],
  prometheus: ['metrics'],
  grafana: ['metrics'],
  opentelemetry: ['traces'],
  throttling: ['limit'],
  quota: ['limit'],
  ratelimit: ['limit'],
  backoff: ['retry'],
  exception: ['error'],
  problem: ['error'],
  hmac: ['signature', 'verify'],
  sdk: ['client'],
  library: ['client'],
  gdpr: ['privacy', 'erase', 'delete'],
  privacy: ['erase', 'delete'],
  dpia: ['impact', 'assessment'],
  remove: ['delete', 'erase'],
  user: ['person', 'subject'],
  customer: ['person', 'subject'],
  emotion: ['state'],
  mood: ['state'],
  pulse: ['heart_rate'],
  hrv: ['sdnn'],
  notification: ['webhook'],
  callback: ['webhook'],
  mysql: ['database'],
  mariadb: ['database'],
  backup: ['database'],
  duplicate: ['idempotent', 'resend'],
};

/** Minimum length of the beginning of a synonym. A shorter beginning matches too many words. */
const prefixLengthMin = 4;

/** Returns the documentation's words for a search word. The search word may be the beginning of a synonym. */
export function findSynonyms(word: string): string[] {
  const typed = word.toLowerCase();
  const matches = (synonym: string) =>
    synonym === typed || (typed.length >= prefixLengthMin && synonym.startsWith(typed));
  return Object.entries(synonyms).flatMap(([synonym, words]) => (matches(synonym) ? words : []));
}
