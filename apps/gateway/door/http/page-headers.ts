import helmet from 'helmet';

/** Headers of every answer: what the page may load, and who may frame it. */
export function pageHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // The proxy that ends TLS in front of this process decides whether its name is HTTPS only.
    strictTransportSecurity: false,
  });
}
