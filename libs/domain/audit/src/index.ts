export {
  isPosting,
  leafHash,
  leafText,
  type LegsPlace,
  linkHash,
  type Posting,
  postingOf,
  type Sha256,
} from './posting.js';
