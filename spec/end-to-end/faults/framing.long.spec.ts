import { framing } from './matrix/framing';
import { describeGroup } from './support/describe-group';

describeGroup(framing);
