/*
 * Where people read about settings. The package of the tool worker has no documents:
 * scripts/bundle-tool-worker.mjs replaces these values.
 */

export const SETTINGS_EXPLAINED = '.env.example and docs/operations.md';

/** Written after the path of a document. */
export const DOCUMENTS_OF = '';
