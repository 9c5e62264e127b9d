import type { z } from 'zod';
import {
  accountSchema,
  answerSchema,
  approvalRequestSchema,
  artifactSchema,
  auditRecordSchema,
  bindingSchema,
  catalogSchema,
  claimSchema,
  connectionSchema,
  conversationSchema,
  deadLetterSchema,
  definitionSchema,
  factSchema,
  outcomeSchema,
  processSchema,
  secretSchema,
  stepSchema,
  switchSchema,
  turnSchema,
  usageHoldSchema,
  usageRowSchema,
} from '#contracts';
import type {
  Account,
  Answer,
  ApprovalRequest,
  Artifact,
  AuditRecord,
  Binding,
  Catalog,
  Claim,
  Connection,
  Conversation,
  DeadLetter,
  Definition,
  Fact,
  Outcome,
  ProcessRow,
  Secret,
  Step,
  Switch,
  Turn,
  UsageHold,
  UsageRow,
} from '#contracts';

/** The rows that both adapters store, by the name of their collection or table. */
export interface Rows {
  conversations: Conversation;
  turns: Turn;
  steps: Step;
  claims: Claim;
  outcomes: Outcome;
  answers: Answer;
  catalogs: Catalog;
  processes: ProcessRow;
  artifacts: Artifact;
  dead_letters: DeadLetter;
  facts: Fact;
  users: Account;
  secrets: Secret;
  bindings: Binding;
  connections: Connection;
  usage: UsageRow;
  usage_holds: UsageHold;
  switches: Switch;
  definitions: Definition;
  audit_records: AuditRecord;
  approval_requests: ApprovalRequest;
}
export type CollectionName = keyof Rows;
export type Field<Name extends CollectionName> = keyof Rows[Name] & string;

export interface CollectionDefinition<Name extends CollectionName = CollectionName> {
  schema: z.ZodObject<Record<Field<Name>, z.ZodType>>;
  /** Unique keys in addition to `_id`. Without one of these indexes the store does not open. */
  unique: Field<Name>[][];
  /** Unique among the rows that have the field: earlier versions did not write it. */
  uniqueIfPresent?: Field<Name>[];
  /** For speed only. */
  indexes: Field<Name>[][];
  /** Fields that are updated after the insert. */
  caches: Field<Name>[];
}

export const COLLECTIONS: { [Name in CollectionName]: CollectionDefinition<Name> } = {
  conversations: {
    schema: conversationSchema,
    unique: [],
    indexes: [
      ['user_id', 'deleted_at', 'expires_at', 'updated_at', '_id'],
      ['deleted_at', 'updated_at'],
      ['due_at'],
    ],
    caches: ['title', 'policy', 'tools', 'updated_at', 'deleted_at', 'due_at', 'late_after'],
  },
  turns: {
    schema: turnSchema,
    unique: [
      ['conversation_id', 'number'],
      ['conversation_id', 'client_message_id'],
    ],
    indexes: [
      ['due_at'],
      ['status', 'due_at'],
      ['conversation_id', 'status', 'number'],
      ['user_id', 'status'],
    ],
    caches: ['status', 'due_at'],
  },
  steps: {
    schema: stepSchema,
    unique: [],
    indexes: [['turn_id'], ['conversation_id', 'turn_number', 'n']],
    caches: [],
  },
  claims: { schema: claimSchema, unique: [], indexes: [['turn_id']], caches: [] },
  outcomes: { schema: outcomeSchema, unique: [], indexes: [['turn_id']], caches: [] },
  answers: { schema: answerSchema, unique: [], indexes: [['turn_id']], caches: [] },
  catalogs: { schema: catalogSchema, unique: [], indexes: [], caches: [] },
  processes: { schema: processSchema, unique: [], indexes: [], caches: ['beat', 'load', 'ledger_beats'] },
  artifacts: { schema: artifactSchema, unique: [], indexes: [['conversation_id']], caches: [] },
  dead_letters: {
    schema: deadLetterSchema,
    unique: [],
    indexes: [['at', '_id'], ['turn_id']],
    caches: ['replayed_at', 'replayed_by'],
  },
  facts: { schema: factSchema, unique: [], indexes: [['user_id']], caches: ['text', 'at'] },
  users: {
    schema: accountSchema,
    unique: [['number'], ['email_key'], ['username_key']],
    uniqueIfPresent: ['look_key'],
    indexes: [],
    caches: ['role', 'roles', 'is_active', 'look_key'],
  },
  secrets: { schema: secretSchema, unique: [], indexes: [], caches: [] },
  bindings: {
    schema: bindingSchema,
    unique: [],
    indexes: [['user_id', 'dialect'], ['conversation_id'], ['expires_at']],
    caches: ['value', 'at', 'conversation_id', 'expires_at'],
  },
  connections: {
    schema: connectionSchema,
    unique: [],
    indexes: [['user_id', 'kind'], ['expires_at']],
    caches: ['version', 'sealed', 'server', 'at', 'expires_at'],
  },
  usage: {
    schema: usageRowSchema,
    unique: [],
    // The index covers the query: a user's daily sum is read from the index alone.
    indexes: [['user_id', 'day', 'input_tokens', 'output_tokens', 'cached_tokens', 'cost'], ['day']],
    caches: ['input_tokens', 'output_tokens', 'cached_tokens', 'cost', 'counted_to'],
  },
  usage_holds: {
    schema: usageHoldSchema,
    unique: [],
    indexes: [['user_id']],
    caches: ['tokens', 'cost', 'at'],
  },
  switches: { schema: switchSchema, unique: [], indexes: [], caches: ['by', 'at', 'reason', 'level'] },
  definitions: {
    schema: definitionSchema,
    unique: [],
    indexes: [['tool'], ['toolset']],
    caches: ['state', 'accepted_by', 'accepted_at'],
  },
  audit_records: {
    schema: auditRecordSchema,
    unique: [],
    indexes: [
      ['user_id', '_id'],
      ['conversation_id', '_id'],
      ['tool', '_id'],
    ],
    caches: [],
  },
  approval_requests: {
    schema: approvalRequestSchema,
    unique: [],
    indexes: [['at'], ['due_at']],
    caches: [],
  },
};

export const COLLECTION_NAMES = Object.keys(COLLECTIONS) as CollectionName[];
