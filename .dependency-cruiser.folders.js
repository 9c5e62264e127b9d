import files from './.dependency-cruiser.js';

/**
 * Folders instead of files: an app or a lib is read from the bottom up, so none of its folders leans back on another.
 * Left out are the files that only put the others together.
 */
export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-import-from-the-root-of-a-lib',
      comment:
        'What the folders of a lib share stands in a folder, `port` for example; its root puts them together.',
      severity: 'error',
      from: { path: '^libs/(?!contracts/)([^/]+)/[^/]+/' },
      to: { path: '^libs/$1/[^/]+\\.ts$' },
    },
  ],
  options: {
    ...files.options,
    exclude: { path: '(\\.spec\\.tsx?$|/testing/|^libs/[^/]+/index\\.ts$)' },
  },
};
