/** The code of a feature, and the tests that must notice a change of it. Paths are those of the repository. */
export interface Feature {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

export const features: readonly Feature[] = [
  {
    name: 'person',
    sources: [
      'packages/score/live.ts',
      'packages/score/only-session.ts',
      'src/readings/person.ts',
      'src/retention/remove-live-values.ts',
      'src/store/people.ts',
      'src/store/person-rows.ts',
    ],
    tests: [
      'packages/score/live.test.ts',
      'src/readings/person.test.ts',
      'contract-tests/submitFeedback/200',
      ...['person', 'deleteSubject', 'getTriggers'].map((it) => `contract-tests/${it}/`),
    ],
  },
  {
    name: 'topics',
    sources: [
      'packages/score/effect.ts',
      'packages/score/response.ts',
      'packages/score/triggers.ts',
      'src/readings/topics.ts',
    ],
    tests: [
      'packages/score/',
      ...['alerts/conditions', 'getTriggers/', 'deleteTrigger/'].map((it) => `contract-tests/${it}`),
    ],
  },
  {
    name: 'consent',
    sources: [
      'src/contract/consent.ts',
      'src/readings/consent.ts',
      'src/operations/consent-view.ts',
      'src/operations/put-consent.ts',
      'src/store/consents.ts',
    ],
    tests: [
      'src/contract/consent.test.ts',
      'src/readings/consent.test.ts',
      'contract-tests/putConsent/',
      'contract-tests/person/link-law',
    ],
  },
  {
    name: 'feedback',
    sources: [
      'src/operations/agreement.ts',
      'src/operations/get-agreement.ts',
      'src/operations/submit-feedback.ts',
      'src/store/feedback.ts',
      'src/store/published-score.ts',
    ],
    tests: [
      'src/operations/agreement.test.ts',
      'contract-tests/submitFeedback/',
      'contract-tests/getAgreement/',
      'contract-tests/listFeedback/',
    ],
  },
  {
    name: 'access record',
    sources: [
      ...['chain', 'record', 'verify', 'verify-rows'].map((it) => `src/access-record/${it}.ts`),
      'src/store/access-queries.ts',
      'src/store/accesses.ts',
    ],
    tests: [
      'contract-tests/store/access-',
      'contract-tests/store/row-',
      'contract-tests/listAccesses/',
      'contract-tests/process/access-record',
    ],
  },
  {
    name: 'gateway',
    sources: 'advisor conversation gateway headers json-text request-body response-text service'
      .split(' ')
      .map((it) => `packages/gateway/${it}.ts`),
    tests: ['packages/gateway/tests/'],
  },
  {
    name: 'backups',
    sources: 'age checksum erasures folder read-backup restore schedule verify write-backup'
      .split(' ')
      .map((it) => `src/cli/backups/${it}.ts`),
    tests: ['src/cli/backups/', 'contract-tests/process/backup', 'contract-tests/process/restore'],
  },
  {
    name: 'summaries',
    sources: [
      'packages/score/summary.ts',
      'src/operations/get-subject-summary.ts',
      'src/retention/hours.ts',
      'src/retention/summarize.ts',
      'src/store/subject-hours.ts',
      'src/store/subject-summary.ts',
    ],
    tests: [
      'contract-tests/getSubjectSummary/',
      'contract-tests/every-operation/values',
      'contract-tests/store/summaries',
      'contract-tests/store/dense-readings',
    ],
  },
  {
    name: 'retries',
    sources: [
      ...['claim', 'expand', 'schedule', 'settle'].map((it) => `src/webhooks/${it}.ts`),
      'src/operations/retry-deliveries.ts',
      'src/store/delivery-queue.ts',
      'src/store/settled-deliveries.ts',
    ],
    tests: [
      'src/webhooks/',
      ...['delivery', 'retryDeliveries', 'listDeliveries', 'listFailedDeliveries'].map((it) => `contract-tests/${it}/`),
    ],
  },
  {
    name: 'text',
    sources: ['check-message', 'findings', 'safety', 'severity', 'spelling', 'texts'].map(
      (it) => `packages/text/${it}.ts`,
    ),
    tests: ['packages/text/', 'contract-tests/ingest/safety', 'contract-tests/ingest/derive-sentiment'],
  },
  {
    name: 'sources',
    sources: [
      ...'generic health-auto-export health-connect junction open-wearables signatures source terra'
        .split(' ')
        .map((it) => `packages/recordings/sources/${it}.ts`),
      'src/http/sources.ts',
      'src/keys/source-keys.ts',
      'src/operations/submit-source.ts',
      'src/readings/post.ts',
      'src/readings/posted-body.ts',
      'src/store/source-keys.ts',
    ],
    tests: [
      'packages/recordings/tests/field-cases',
      'contract-tests/submitSource/',
      'contract-tests/process/post-thread',
    ],
  },
  {
    name: 'gate',
    sources: ['src/contract/whose.ts', ...['grant', 'search-person', 'view'].map((it) => `src/view/${it}.ts`)],
    tests: [
      ...['accounts/token', 'delivery/person'].map((it) => `contract-tests/${it}`),
      ...['person', 'getState', 'getHistory', 'listSessions', 'listFeedback'].map((it) => `contract-tests/${it}/`),
    ],
  },
  {
    name: 'grants',
    sources: ['src/contract/grant.ts', ...['identify', 'stored-grants'].map((it) => `src/keys/${it}.ts`)],
    tests: ['accounts/', 'createLink/', 'hostile/key-flood', 'streamEvents/life'].map((it) => `contract-tests/${it}`),
  },
  {
    name: 'alerts',
    sources: [
      ...['conditions', 'evaluate', 'fire', 'start'].map((it) => `src/alerts/${it}.ts`),
      'src/operations/create-alert-rule.ts',
      'src/store/alerts.ts',
    ],
    tests: ['alerts', 'createAlertRule', 'listAlertRules', 'removeAlertRule'].map((it) => `contract-tests/${it}/`),
  },
  {
    name: 'OAuth',
    sources: ['config/oauth', 'http/oauth', 'keys/issuer-keys', 'keys/oauth', 'serve/oauth'].map(
      (it) => `src/${it}.ts`,
    ),
    tests: ['src/config/config.test.ts', 'contract-tests/oauth/', 'contract-tests/mcp/conformance/oauth'],
  },
  {
    name: 'windows',
    sources: ['linear', 'message-features', 'windows'].map((it) => `packages/text/${it}.ts`),
    tests: ['packages/text/'],
  },
  {
    name: 'links',
    sources: [
      'src/http/person-page.ts',
      'src/keys/person-links.ts',
      ...['create', 'remove'].map((it) => `src/operations/${it}-link.ts`),
      'src/store/person-links.ts',
    ],
    tests: ['contract-tests/createLink/', 'contract-tests/person/link-law'],
  },
  {
    name: 'gateway upstreams',
    sources: 'apis ask-model forward guardrail pages read-setting rejections shares upstreams'
      .split(' ')
      .map((it) => `packages/gateway/${it}.ts`),
    tests: ['packages/gateway/tests/'],
  },
];
