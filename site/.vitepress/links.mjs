/**
 * A plugin of markdown-it: links to files of the repository that are no pages of the site, such as specs and configurations, become plain text. The
 * pages of the site have all other links as they are, and the build fails where one of these leads nowhere.
 */
export function linksOfTheSite(markdown) {
  markdown.core.ruler.push('links_of_the_site', (state) => {
    for (const token of state.tokens) {
      if (token.children !== null) withoutFiles(token.children);
      // Messages of errors are no language that anybody highlights.
      if (token.type === 'fence' && token.info === 'error') token.info = 'txt';
    }
  });
}

function withoutFiles(tokens) {
  let isInFile = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isInFile = isFile(token.attrGet('href') ?? '');
    if (!isInFile || !token.type.startsWith('link_')) continue;
    // An element without a meaning of its own takes the place of the link.
    token.tag = 'span';
    token.attrs = null;
    if (token.type === 'link_close') isInFile = false;
  }
}

const isFile = (href) => {
  if (/^(?:[a-z]+:|#)/i.test(href)) return false;
  const [path] = href.split('#');
  return !path.endsWith('.md') || /(?:^|\/)(?:spec|bench|catalogue)\//.test(path);
};
