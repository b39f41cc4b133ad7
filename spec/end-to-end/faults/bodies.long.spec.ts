import { bodies } from './matrix/bodies';
import { describeGroup } from './support/describe-group';

describeGroup(bodies);
