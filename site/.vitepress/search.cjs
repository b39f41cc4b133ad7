/** The settings of the site's search, which is VitePress's own. spec/docs/search.spec.ts asks it the questions of users. */

/** Pages that answer no question of a user: signatures, decisions, measurements, lists of pages. */
const ASIDE =
  /^docs\/(?:(?:api|decisions)\/|(?:architecture|comparison-dlt|detection|first-run|mutation|performance|real-configurations|reliability|specification)\.md$)|\/README\.md$/;

/** @param path of a page, from the folder of the repository, such as `docs/sinks.md` */
exports.isSearched = (path) => path.startsWith('docs/') && !ASIDE.test(path);

exports.miniSearch = {
  options: {
    /**
     * Leaves out words without a meaning of their own: in a heading such as "A job", the word "a" of a question would outweigh the word
     * that somebody looks for. The site gives this function to the browser as text, so it uses nothing outside of itself.
     */
    processTerm: (term) => {
      const word = term.toLowerCase();
      const isEmpty =
        /^(?:a|after|an|and|any|are|as|at|be|but|by|can|do|does|each|for|how|i|if|in|into|is|it|my|no|not|of|on|or|such|that|the|their|then|there|these|they|this|to|was|what|when|where|which|will|with)$/;
      return isEmpty.test(word) ? null : word;
    },
  },
  /** The headings above a section say more than its text: tables of options have most words. */
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, titles: 2, text: 1 } },
};
