/** The id of everybody where nobody signs in (`AUTH=none`). */
export const LOCAL_USER_ID = 'local';
