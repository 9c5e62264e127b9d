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
  ],
  options: {
    ...files.options,
    exclude: { path: '(\\.spec\\.tsx?$|/testing/|^libs/[^/]+/index\\.ts$)' },
  },
};
