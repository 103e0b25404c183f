extension RulesParts {
    /// The part of the database rules about audiences and the posts for them.
    static let audiencesText = #"""
            // Audiences, such as a class: read by their members, changed by their owners, and created by users who
            // become owners.
            "audiences": {
              "$audience": {
                ".read": "auth !== null%member% && data.child('members').hasChild(auth.uid)",
                ".write": "auth !== null && (data.exists() ? data : newData).child('members').child(auth.uid).val() === 'owner'",
                ".validate": "newData.hasChildren(['name', 'kind', 'members']) && $audience.matches(/^[A-Za-z0-9_-]+$/) && $audience.length <= 128",
                "name": { ".validate": "newData.isString() && newData.val().length >= 1 && newData.val().length < 200" },
                "kind": { ".validate": "newData.isString() && newData.val().matches(/^(class|school|student|group)$/)" },
                "members": {
                  ".validate": "newData.hasChildren()",
                  "$uid": {
                    // Members may leave. A user cannot add a person who has blocked them.
                    ".write": "auth.uid === $uid && !newData.exists()",
                    ".validate": "newData.isString() && newData.val().matches(/^(owner|poster|reader)$/) && $uid.matches(/^[A-Za-z0-9_-]+$/) && $uid.length <= 128 && (data.exists() || !root.child('blocking').child($uid).hasChild(auth.uid))"
                  }
                },
                "$other": { ".validate": false }
              }
            },
            // The audiences that a person is a member of: the other side of the members, which the service keeps.
            "memberships": {
              "$uid": { ".read": "auth.uid === $uid%member%" }
            },

            // Posts for audiences: created and deleted whole by their authors, for audiences of which these are owners
            // or posters. The
            // members read the copies that the service writes below "stories".
            "audience_posts": {
              "$post": {
                ".read": "auth !== null%member% && data.child('author/uid').val() === auth.uid",
                ".write": "auth !== null && (data.exists() ? !newData.exists() && data.child('author/uid').val() === auth.uid : !newData.exists() || newData.child('author/uid').val() === auth.uid && root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                ".validate": "newData.hasChildren(['author/uid', 'timestamp', 'audiences']) && (newData.hasChild('full_url') || newData.hasChild('text')) && !newData.parent().parent().child('posts').child($post).exists()",
                "audiences": {
                  ".validate": "newData.hasChildren()",
                  "$audience": { ".validate": "newData.val() === true && newData.parent().parent().parent().parent().child('audiences').child($audience).child('members').child(auth.uid).val().matches(/^(owner|poster)$/)" }
                },
                "author": {
                  "uid": { ".validate": "newData.val() === auth.uid" },
                  "full_name": { ".validate": "newData.val() === auth.token.name || auth.token.name === null && newData.val() === 'Anonymous' || newData.val() === newData.parent().parent().parent().parent().child('people').child(auth.uid).child('full_name').val()" },
                  "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                  "$other": { ".validate": false }
                },
                "text": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "timestamp": { ".validate": "newData.val() === now" },
                "client": { ".validate": "newData.isString() && newData.val().matches(/^(web|ios|android)$/)" },
                "full_url": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "thumb_url": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "full_storage_uri": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "thumb_storage_uri": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "$other": { ".validate": "auth.token.admin === true" }
              }
            },
            "stories": {
              "$audience": {
                ".read": "auth !== null%member% && root.child('audiences').child($audience).child('members').hasChild(auth.uid)",
                ".indexOn": ["published", "timestamp"]
              }
            },
        """#
}
