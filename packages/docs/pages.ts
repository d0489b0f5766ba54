/** A page with a Markdown source. */
export interface Guide {
  /** Folder of the page in the site. */
  readonly slug: string;
  /** Path of the source from the root of the project. */
  readonly source: string;
  readonly title: string;
  /** Summary in one line, for the home page, search engines and llms.txt. */
  readonly summary: string;
  /** Words that readers search for the page, and that are not in its text. */
  readonly asked?: string;
}

export const gettingStarted: Guide = {
  slug: 'getting-started',
  source: 'docs/getting-started.md',
  title: 'Getting started',
  summary: 'Start the service, send a reading, read the state, get notified: in five minutes.',
};

/** The guides by the job of the reader, in reading order. */
export const groups: ReadonlyArray<{ readonly title: string; readonly guides: readonly Guide[] }> = [
  {
    title: 'Send',
    guides: [
      {
        slug: 'signals',
        source: 'docs/signals.md',
        title: 'Signals',
        summary: 'Heart rate, SDNN, tone, expression, sentiment: what they mean and how they are fused.',
      },
      {
        slug: 'batches',
        source: 'docs/batches.md',
        title: 'Batches and backfill',
        summary: 'Many readings in one request, also of the past.',
      },
      {
        slug: 'clients',
        source: 'docs/clients.md',
        title: 'Clients',
        summary: 'TypeScript and Python, generated clients, and HTTP from any language.',
      },
      {
        slug: 'connects',
        source: 'docs/connects.md',
        title: 'What connects',
        summary: 'Programs of others that connect without code, with the version that was tested.',
      },
      {
        slug: 'errors',
        source: 'docs/errors.md',
        title: 'Errors',
        summary: 'Every error by its stable code, and which requests to send again.',
      },
      {
        slug: 'limits',
        source: 'docs/limits.md',
        title: 'Limits',
        summary: 'Rate limits, calls per month and their headers.',
      },
    ],
  },
  {
    title: 'Read',
    guides: [
      {
        slug: 'states',
        source: 'docs/states.md',
        title: 'States and actions',
        summary: 'Five states, what an assistant should do in each, and how sure the score is.',
        asked: 'what does confidence mean',
      },
      {
        slug: 'summaries',
        source: 'docs/summaries.md',
        title: 'Summaries',
        summary: 'Hours and days of a person over months: states, score and heart rate.',
        asked: 'two years of history long term',
      },
      {
        slug: 'feedback',
        source: 'docs/feedback.md',
        title: 'Feedback and agreement',
        summary: 'What people say about their stress, and how well the score agrees with it.',
      },
      {
        slug: 'not-stressed',
        source: 'docs/not-stressed.md',
        title: 'It says I am stressed and I am not',
        summary: 'Why a score can be wrong, and what a person can do about it.',
        asked: 'wrong not stressed false alarm',
      },
      {
        slug: 'trigger-memory',
        source: 'docs/trigger-memory.md',
        title: 'Trigger Memory',
        summary: 'Which topics stress a person, remembered across sessions.',
      },
      {
        slug: 'dashboard',
        source: 'docs/dashboard.md',
        title: 'Dashboard',
        summary: 'Live sessions, people and webhooks in the browser, from the running service.',
      },
      {
        slug: 'export',
        source: 'docs/export.md',
        title: 'Export',
        summary: 'All readings of a session, a person or the account as NDJSON or CSV, resumable and in a fixed order.',
        asked: 'download csv excel',
      },
    ],
  },
  {
    title: 'React',
    guides: [
      {
        slug: 'agents',
        source: 'docs/agents.md',
        title: 'AI agents',
        summary: 'A gateway, the Model Context Protocol, the Vercel AI SDK and LangChain, with sensors or without.',
      },
      {
        slug: 'safety',
        source: 'docs/safety.md',
        title: 'Safety',
        summary:
          'Messages about suicidal thoughts, self-harm and violence: what is found, what is not, and what you must do.',
      },
      {
        slug: 'webhooks',
        source: 'docs/webhooks.md',
        title: 'Webhooks',
        summary: 'Get notified of every state change: signed, in order, at least once.',
        asked: 'slack alert email teams pager',
      },
      {
        slug: 'streams',
        source: 'docs/streams.md',
        title: 'Streams',
        summary: 'Readings and state changes as Server-Sent Events, also in browsers, resumed without a gap.',
      },
    ],
  },
  {
    title: 'Import',
    guides: [
      {
        slug: 'connect-a-phone',
        source: 'docs/connect-a-phone.md',
        title: 'Connect a phone',
        summary: 'Set up an app that posts what a phone or watch measures.',
      },
      {
        slug: 'connect-a-hub',
        source: 'docs/connect-a-hub.md',
        title: 'Connect a hub',
        summary: 'Receive the data of many people from Open Wearables, Terra or Junction.',
      },
      {
        slug: 'recordings',
        source: 'docs/recordings.md',
        title: 'Recordings of devices',
        summary: 'Apple Health, FIT, Polar, Fitbit, Health Connect, CSV and Bluetooth straps: one command.',
      },
    ],
  },
  {
    title: 'Operate',
    guides: [
      {
        slug: 'oauth',
        source: 'docs/oauth.md',
        title: 'OAuth',
        summary: 'Hosted agents connect with a URL: name an authorization server, and whose data its tokens reach.',
      },
      {
        slug: 'keys',
        source: 'docs/keys.md',
        title: 'API keys',
        summary: 'Scopes, networks, expiry, rotation and the audit log of API keys.',
      },
      {
        slug: 'consent',
        source: 'docs/consent.md',
        title: 'Consent',
        summary: 'Which signals a person allows, enforcement, withdrawal, and the rules for work and education.',
      },
      {
        slug: 'person-page',
        source: 'docs/person-page.md',
        title: 'A page for the person',
        summary: 'A link without a key: what the page shows, grants, opening and ending.',
      },
      {
        slug: 'configuration',
        source: 'docs/configuration.md',
        title: 'Configuration',
        summary: 'Every environment variable, its meaning and its default.',
      },
      {
        slug: 'access-record',
        source: 'docs/access-record.md',
        title: 'Access record',
        summary: 'Which key or token read, exported or erased whose data, and how to verify the record.',
        asked: 'who read my data who saw',
      },
      {
        slug: 'operations',
        source: 'docs/operations.md',
        title: 'Operations',
        summary: 'Install, supervise, start, stop, retain and upgrade.',
      },
      {
        slug: 'versioning',
        source: 'docs/versioning.md',
        title: 'Versioning',
        summary: 'What stays the same from 1.0.0 on, how deprecations are announced, and what is not promised.',
      },
      {
        slug: 'monitoring',
        source: 'docs/monitoring.md',
        title: 'Monitoring',
        summary: 'Health, logs, metrics, alerts, traces and clocks.',
      },
      {
        slug: 'backup',
        source: 'docs/backup.md',
        title: 'Backup and restore',
        summary: 'Backups on a schedule, encryption, restore without erased people, and the secrets key.',
      },
      {
        slug: 'reliability',
        source: 'docs/reliability.md',
        title: 'Reliability',
        summary:
          'What holds when processes, databases and receivers fail, how that is tested, and what an erasure removes.',
      },
      {
        slug: 'high-availability',
        source: 'docs/high-availability.md',
        title: 'High availability',
        summary: 'Several database hosts, engines and versions, load balancers, deployment without downtime.',
      },
      {
        slug: 'cluster-runbook',
        source: 'docs/cluster-runbook.md',
        title: 'Cluster runbook',
        summary:
          'Commands for three Galera nodes: first bootstrap, lost nodes, power loss, lost majority, upgrade, restore.',
      },
      {
        slug: 'scale',
        source: 'docs/scale.md',
        title: 'Scale',
        summary: 'Capacity of an account, a process and a database, and what one million people need.',
      },
      {
        slug: 'performance',
        source: 'docs/performance.md',
        title: 'Performance',
        summary: 'Throughput, latency, memory, start and purge, with the commands that measure them.',
      },
    ],
  },
  {
    title: 'Account',
    guides: [
      {
        slug: 'compare',
        source: 'docs/compare.md',
        title: 'How it compares',
        summary: 'The commercial original, Garmin, Google, Open Wearables and a threshold of your own, with sources.',
        asked: 'price cost free pricing alternative',
      },
      {
        slug: 'roadmap',
        source: 'docs/roadmap.md',
        title: 'Roadmap',
        summary: 'What is planned, and what is not.',
      },
      {
        slug: 'accountability',
        source: 'docs/accountability.md',
        title: 'Accountability',
        summary: 'Documents for lawyers, data protection officers and the people concerned.',
      },
      {
        slug: 'evaluation',
        source: 'docs/evaluation.md',
        title: 'Evaluation',
        summary: 'How accurate the score, the topics and the findings are, on which data, with the commands.',
        asked: 'how accurate accuracy reliable right',
      },
      {
        slug: 'data-map',
        source: 'docs/accountability/data-map.md',
        title: 'Data map',
        summary: 'Which data is stored, where, for how long, and who reads it.',
        asked: 'two years of history how long kept',
      },
      {
        slug: 'model-card',
        source: 'docs/accountability/model-card.md',
        title: 'Model card',
        summary: 'Purpose, training data, figures, known failures and groups that were not tested.',
      },
      {
        slug: 'impact-assessment',
        source: 'docs/accountability/impact-assessment.md',
        title: 'Impact assessment',
        summary: 'A template for the data protection impact assessment, with the facts about the service.',
      },
      {
        slug: 'notice',
        source: 'docs/accountability/notice.md',
        title: 'Notice for people',
        summary: 'A template that tells people what is measured, estimated and stored.',
      },
      {
        slug: 'deployer-guidance',
        source: 'docs/accountability/deployer-guidance.md',
        title: 'Guidance for deployers',
        summary: 'What to do before, during and after the use of the service with real people.',
      },
    ],
  },
];

export const guides: readonly Guide[] = groups.flatMap((it) => it.guides);

export const changelog: Guide = {
  slug: 'changelog',
  source: 'CHANGELOG.md',
  title: 'Changelog',
  summary: 'What changed for users of the interface and for operators.',
};

export const reference = {
  slug: 'reference',
  title: 'API reference',
  summary: 'Every operation, field and error, with code samples and a console that sends real requests.',
};

export const markdownPages: readonly Guide[] = [gettingStarted, ...guides, changelog];
