extension RulesParts {
    /// The storage rules, with the names of the parts in place of these.
    static let storageText = """
        rules_version = '2';

        // A user whose token has the claim "admin".
        function isAdmin() {
          return request.auth.token.admin == true;
        }
        %functions%
        // A deletion, or an image that is smaller than the limit.
        function isOwnImage(uid, maxBytes) {
          return %owner%
            && (request.resource == null
              || request.resource.size < maxBytes && request.resource.contentType.matches('image/.*'));
        }

        service firebase.storage {
          match /b/{bucket}/o {
            // The service's files: photos as they were sent, with the camera's metadata, and their renditions.
            match /{uid}/original/{post}/{file} {
              allow get: if isAdmin() || %owner%;
            }
            match /{uid}/rendition/{post}/{file} {
              allow get%rendition%;
            }
            // Photos as they were taken, or as large as an app sends them. The folder belongs to the post.
            match /{uid}/full/{post}/{file} {
              allow get%object%;
              allow write: if isAdmin() || isOwnImage(uid, 5 * 1024 * 1024);
            }
            // Thumbnails that an app has created, shown until those of the service exist.
            match /{uid}/thumb/{post}/{file} {
              allow get%object%;
              allow write: if isAdmin() || isOwnImage(uid, 1024 * 1024);
            }
            // Each person can list all of their own files.
            match /{uid}/{rest=**} {
              allow list: if isAdmin() || %owner%;
            }
          }
        }
        """
}
