import { certificates } from './matrix/certificates';
import { credentials } from './matrix/credentials';
import { misleading } from './matrix/misleading';
import { surroundings } from './matrix/surroundings';
import { describeStories } from './support/describe-stories';

describe.each([surroundings, certificates, credentials, misleading])('$title', (group) => describeStories(group));
