/** undici takes node:http2 for what may be missing. The command speaks HTTP/1.1 alone, and to load it takes as long as all of undici. */
module.exports = { constants: {} };
