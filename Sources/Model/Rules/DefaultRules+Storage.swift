extension DefaultRules {
    /// The rules of photos.
    package static let storage = """
        rules_version = '2';

        // Somebody whose token has the claim "admin".
        function isAdmin() {
          return request.auth.token.admin == true;
        }

        // Deletes, or brings an image of at most so many bytes.
        function isOwnImage(uid, maxBytes) {
          return request.auth.uid == uid
            && (request.resource == null
              || request.resource.size < maxBytes && request.resource.contentType.matches('image/.*'));
        }

        service firebase.storage {
          match /b/{bucket}/o {
            // What the service keeps: photos as they were sent, which carry what the camera noted, and what it made of them.
            match /{uid}/original/{post}/{file} {
              allow get: if isAdmin() || request.auth.uid == uid;
            }
            match /{uid}/rendition/{post}/{file} {
              allow get;
            }
            // Photos as they were taken, or as large as an app sends them. The folder is the post's.
            match /{uid}/full/{post}/{file} {
              allow get;
              allow write: if isAdmin() || isOwnImage(uid, 5 * 1024 * 1024);
            }
            // What an app has made of them to be shown until the service's own are there.
            match /{uid}/thumb/{post}/{file} {
              allow get;
              allow write: if isAdmin() || isOwnImage(uid, 1024 * 1024);
            }
            // Everything of a person can be listed by that person.
            match /{uid}/{rest=**} {
              allow list: if isAdmin() || request.auth.uid == uid;
            }
          }
        }
        """
}
