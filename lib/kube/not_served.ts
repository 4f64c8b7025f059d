/** The message of client-go for a 404 that names no object. Users search for these words. */
export const notServedMessage = "the server could not find the requested resource";
