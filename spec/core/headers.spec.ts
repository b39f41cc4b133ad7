import { httpDate, linksIn, linkTo, speaksOf } from '../../src/core/headers';

describe('linkTo (RFC 8288)', () => {
  it.each([
    ['one link', '<https://h.example/b?page=2>; rel="next"', 'https://h.example/b?page=2'],
    ['a value without quotes', '</b?page=2>;rel=next', '/b?page=2'],
    ['a value in single quotes', "</b?page=2>; rel='next'", '/b?page=2'],
    [
      'one of several types in single quotes',
      "</b?page=2>; title=it's; rel='last next', </c>; rel='prev'",
      '/b?page=2',
    ],
    ['spaces and other parameters', '  <?p=2> ; title="a; <b>, \\"c\\"" ; rel = "next"  ', '?p=2'],
    ['one of several links', '<?p=1>; rel="prev", <?p=3>; rel="next", <?p=9>; rel="last"', '?p=3'],
    ['one of several relation types', '<?p=3>; rel="last  next"', '?p=3'],
    ['any case', '<?p=3>; REL="Next"', '?p=3'],
    ['a comma in the reference', '<?ids=1,2>; rel="prev", <?ids=3,4>; rel="next"', '?ids=3,4'],
    ['the first of two', '<?p=1>; rel="next", <?p=2>; rel="next"', '?p=1'],
    ['the first of two rel parameters', '<?p=1>; rel="next"; rel="last"', '?p=1'],
    ['several lines', ['<?p=1>; rel="prev"', '<?p=2>; rel="next"'], '?p=2'],
    ['an empty reference', '<>; rel="next"', ''],
  ])('reads %s', (_, header, expected) => {
    expect(linkTo('next', header)).toBe(expected);
  });

  it.each([
    ['another relation', '<?p=1>; rel="prev"'],
    ['only the second of two rel parameters', '<?p=1>; rel="last"; rel="next"'],
    ['no relation', '<?p=1>'],
    ['the link of another resource', '<?p=1>; rel="next"; anchor="#part"'],
    ['a title that speaks of it', '<?p=1>; rel="prev"; title="rel=next"'],
    ['no link', 'next: /b?page=2'],
    ['nothing', ''],
    ['no line', []],
  ])('finds none in %s', (_, header) => {
    expect(linkTo('next', header)).toBeUndefined();
  });

  it('takes any relation', () => {
    expect(linkTo('https://h.example/rel/More', '<?p=2>; rel="next https://h.example/rel/more"')).toBe('?p=2');
  });

  it('undoes escapes', () => {
    const [link] = linksIn('<a>; title="say \\"x\\""; flag');
    expect(link).toEqual({
      reference: 'a',
      parameters: new Map([
        ['flag', ''],
        ['title', 'say "x"'],
      ]),
    });
  });

  it.each([
    ['an address without brackets', '/b?page=2; rel="next"', true],
    ['one of several lines', ['</b>; rel="prev"', "https://h.example/b?page=2; rel='next'"], true],
    ['a relation that is no parameter', '</b?page=2>, next', true],
    ['a link', '</b?page=2>; rel="next"', false],
    ['the link of another resource', '<?p=1>; rel="next"; anchor="#part"', false],
    ['a title', '<?p=1>; rel="prev"; title="the next one"', false],
    ['nothing', '', false],
  ])('tells whether it speaks of a link that cannot be read: %s', (_, header, expected) => {
    expect(speaksOf('next', header)).toBe(expected);
  });

  it('is quick with long nonsense', () => {
    const started = Date.now();
    linksIn(`<a>${'; x="'.repeat(20_000)}`);
    linksIn(`<a>${"; x='".repeat(20_000)}`);
    linksIn('<'.repeat(100_000));
    linksIn(`<a>${' ;'.repeat(50_000)}`);
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

describe('httpDate', () => {
  it.each([
    ['Thu, 01 Dec 2022 16:00:00 GMT', 1669910400000],
    [' Thu, 01 Dec 2022 16:00:00 GMT ', 1669910400000],
    ['Thu, 01 Dec 2022 16:00:00 +0100', 1669906800000],
  ])('reads %s', (text, moment) => {
    expect(httpDate(text)).toBe(moment);
  });

  it.each(['', '30', '2022-12-01', 'Thu, 01 Foo 2022 16:00:00 GMT', 'tomorrow'])('refuses %j', (text) => {
    expect(httpDate(text)).toBeUndefined();
  });
});
