// The words that `docs/glossary.md` replaces, and the standards and interfaces of other projects that require one of
// them.

/** Sources whose names and texts are checked. */
export const folders: readonly string[] = [
  "core",
  "provider",
  "action",
  "cli",
  "scripts",
  "bench",
  "mock-server",
  "test",
];

/** Patterns of sources that aren't checked: those that stand for users' projects, and those with the words themselves. */
export const excluded: readonly string[] = ["test/fixtures/**", "test/unit/vocabulary*.ts"];

/** Patterns of the pages and descriptions that users read, checked for phrases. The glossary itself names them. */
export const pages: readonly string[] = ["*.md", "action.yml", "docs/!(glossary).md", "docs/!(decisions)/**/*.md"];

/**
 * Names in camelCase that identifiers must not contain, each with the words to use instead. `answer` forbids
 * `lastAnswer` and `#answers`.
 */
export const identifiers: Readonly<Record<string, string>> = {
  // Requests and responses.
  answer: "response, output",
  answers: "responses",
  answered: "responded",
  asked: "requested",
  told: "reported",
  // Failures and repetition.
  hopeless: "permanent",
  passingFailure: "transientFailure",
  standIn: "intermediary",
  standIns: "intermediaries",
  repetition: "retry",
  repetitions: "retries",
  mayRepeat: "isRetryable",
  lostAnswer: "unknownOutcome",
  lookAgain: "recheck",
  // Limits.
  patience: "timeout, deadline",
  farewell: "gracePeriod",
  most: "max",
  longest: "max",
  largest: "max",
  shortest: "min",
  smallest: "min",
  usual: "default",
  // Reconciling.
  ensured: "ensure",
  goOn: "continue, resume",
  goOnWith: "resume",
  carryOut: "execute, apply",
  perform: "execute, apply",
  mark: "marker",
  marks: "markers",
  spelling: "dialect, wireNaming",
  spellings: "dialects, wireNaming",
  usualCourse: "schedule",
  // Roles.
  keyRing: "apiKeys",
  keeper: "stateStore",
  waiters: "notifier",
  viewTexts: "cache",
  recentTexts: "cache",
  keptText: "buffer",
  scope: "tenancy, accessFilter, callHandle",
  threadMain: "workerMain",
  watchedThread: "supervisor",
  threadLost: "workerLost",
  // The end of something.
  abandon: "close, dispose, abort",
  forget: "close, dispose, unsubscribe",
  whenGone: "onClose",
  // Runs kept from each other.
  alone: "dedicated",
  apart: "isolated",
  spare: "prewarmed",
  anew: "again",
  mend: "fix",
};

/** Phrases that texts must not contain, each with what to write instead. */
export const phrases: Readonly<Record<string, string>> = {
  anew: "again",
  mend: "fix",
  mended: "fixed",
  "is told": "name who reports it",
  "are told": "name who reports it",
  "is taken for": "name who mistakes it",
  "are taken for": "name who mistakes it",
  "is taken as": "name who treats it so",
  "is looked at": "name who reads it",
  "are looked at": "name who reads it",
  "go on with": "continue, resume",
  "goes on with": "continues, resumes",
  "gone on with": "continued, resumed",
  "stand under": "are served at",
  "stands under": "is served at",
  "no more": "no longer, at most",
  "any more": "any longer",
  answered: "responded",
  "didn't answer": "didn't respond",
  "doesn't answer": "doesn't respond",
  "carried out": "executed, applied",
  "tried again": "retried",
  "lost answer": "unknown outcome",
  "for people": "human-readable",
  "passing failure": "transient failure",
  "all the same": "anyway",
  "is no JSON": "isn't JSON",
  "no duration": "not a duration",
  "under way": "in progress",
  meanwhile: "in the meantime",
};

/** A use of words that a standard or another project's interface requires, in the files that implement it. */
export interface Allowance {
  /** A folder or a file. */
  path: string;
  /** Keys of {@link identifiers} or {@link phrases}. */
  words: readonly string[];
  reason: string;
}

export const allowances: readonly Allowance[] = [
  { path: "mock-server/oauth/", words: ["scope"], reason: "OAuth's word" },
  { path: "mock-server/control-plane/auth/", words: ["scope"], reason: "OAuth's word" },
  { path: "mock-server/control-plane/store/auth-", words: ["scope"], reason: "OAuth's word" },
  { path: "mock-server/admin/journal-fixture.ts", words: ["scope"], reason: "nock's name for an origin" },
  { path: "mock-server/worker/response-bodies.ts", words: ["mark"], reason: "Node.js's `highWaterMark`" },
  { path: "mock-server/kit/log-reader.ts", words: ["mark"], reason: "Node.js's `highWaterMark`" },
  {
    path: "mock-server/agent-server/engine/",
    words: ["asked", "answers", "answered", "answer"],
    reason: "what a person is asked by an interrupt and answers; stored under these names",
  },
  {
    path: "mock-server/agent-server/event-streaming/",
    words: ["answer", "answers", "answered"],
    reason: "what a person answers to an interrupt, and the protocol's name of the event",
  },
  { path: "docs/guides/agent-server.md", words: ["answered"], reason: "what a person answers to an interrupt" },
  { path: "mock-server/graphs/", words: ["answer", "answers", "answered"], reason: "what a person or a tool answers" },
  {
    path: "test/unit/agent-server/",
    words: ["answer", "answers", "answered"],
    reason: "what a person answers to an interrupt, and fields of the graphs under test",
  },
  { path: "test/system/clients/", words: ["answer", "asked"], reason: "fields of the graphs under test" },
  { path: "test/unit/mock-server/", words: ["scope"], reason: "OAuth's word" },
  { path: "test/kit/action/documented-events.ts", words: ["answered"], reason: "GitHub's name for an event's action" },
  { path: "scripts/reference/api-pages.ts", words: ["scope"], reason: "TypeDoc's name for the parent of a reflection" },
];
