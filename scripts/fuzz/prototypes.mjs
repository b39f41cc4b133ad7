/** Watches what every object inherits: nothing that came from outside may change it. */
const WATCHED = [
  Object,
  Array,
  Function,
  String,
  Number,
  Boolean,
  BigInt,
  Map,
  Set,
  Promise,
  RegExp,
  Date,
  Error,
  Buffer,
];

const described = () =>
  WATCHED.map(({ name, prototype }) => [
    name,
    Object.getPrototypeOf(prototype),
    Reflect.ownKeys(prototype).map((key) => [key, Object.getOwnPropertyDescriptor(prototype, key)]),
  ]);

const before = described();

const memberCount = () => Reflect.ownKeys(Object.prototype).length + Reflect.ownKeys(Array.prototype).length;
const countBefore = memberCount();

/** The quick look: whether every object or list has more or fewer members. */
export const hasNewMembers = () => memberCount() !== countBefore;

/** The names of those that have been changed. */
export const changedPrototypes = () =>
  described().flatMap(([name, parent, members], at) => {
    const [, oldParent, oldMembers] = before[at];
    const isSame =
      parent === oldParent &&
      members.length === oldMembers.length &&
      members.every(([key, { value, get, set }], place) => {
        const [oldKey, old] = oldMembers[place];
        return key === oldKey && Object.is(value, old.value) && get === old.get && set === old.set;
      });
    return isSame ? [] : [name];
  });
