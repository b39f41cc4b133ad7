/** The logins of the example API: tokens that expire. */
const { createHash, randomBytes } = require('node:crypto');
const { users } = require('./river-network.cjs');

/** A token works a little longer than it says, since a request may be on its way when it ends. */
const GRACE_MILLISECONDS = 1000;

const sha1 = (text) => createHash('sha1').update(text).digest('hex');

/**
 * @param tokenSeconds how long the token of a login lasts
 * @param lasting a token that needs no login and does not expire, as people make them in the settings of an API
 */
function createSessions(tokenSeconds, lasting) {
  const sessions = [];
  const isLive = ({ issuedAt }) => Date.now() <= issuedAt + tokenSeconds * 1000 + GRACE_MILLISECONDS;

  /** The answer to a login; `undefined` for a wrong name or password. */
  const open = ({ user: name, password }) => {
    const user = users.find((known) => known.name === name && known.password === password);
    if (user === undefined) return undefined;
    const token = randomBytes(16).toString('hex');
    sessions.push({ token, user, issuedAt: Date.now() });
    return { access_token: token, expires_in: tokenSeconds, user: { id: user.id, name: user.name } };
  };

  /**
   * Whether a request may pass. It shows its token as `Authorization: Bearer <token>`, or it signs:
   * `Authorization: Basic <base64 of name:password>` and the query parameter `signature`, the sha1 of `name:token`.
   */
  const allows = (authorization, signature) => {
    const [scheme, value] = (authorization ?? '').split(' ');
    if (lasting !== undefined && scheme === 'Bearer' && value === lasting) return true;
    return sessions.filter(isLive).some(({ token, user }) => {
      if (scheme === 'Bearer') return value === token;
      const basic = Buffer.from(`${user.name}:${user.password}`).toString('base64');
      return scheme === 'Basic' && value === basic && signature === sha1(`${user.name}:${token}`);
    });
  };

  return { open, allows };
}

module.exports = { createSessions };
