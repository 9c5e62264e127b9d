/** The id of every user without sign-in (`AUTH=none`). */
export const LOCAL_USER_ID = 'local';
