/** As with all paths, the letters' case makes no difference: routes are found like that, too. */
export const API_PATHS = /^\/api\//i;
