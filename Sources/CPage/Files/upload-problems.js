// The kinds of reasons why a photo or a post could not be sent: what helps depends on them.

// The service will never take this file; another one may be a photo for it.
const unfit = new Set([
  "cannot_scrub", "corrupt", "decoder_crashed", "duplicate", "empty", "length_changed", "moderation_refused", "side_too_long",
  "too_large_bytes", "too_many_bytes", "too_many_frames", "too_many_pixels", "too_many_scans", "too_much_memory", "truncated",
  "unreadable", "unsupported_format", "unsupported_type",
]);
// The post has to be written in another way: with other words, fewer photos, or for another audience.
const unpostable = new Set(["audience_post", "bad_audience", "bad_mention", "bad_text", "empty_post", "not_member", "too_many_photos"]);

export const isUnfit = (problem) => unfit.has(problem?.code);

// Whether the same may succeed later, such as when there is space again.
export const mayPass = (problem) => !unfit.has(problem?.code) && !unpostable.has(problem?.code);
