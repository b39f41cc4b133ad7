import { codings } from './matrix/codings';
import { describeGroup } from './support/describe-group';

describeGroup(codings);
