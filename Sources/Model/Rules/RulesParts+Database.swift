extension RulesParts {
    /// The database rules, with the names of the parts in place of these.
    static let databaseText = #"""
        {
          // The permissions of users. An admin is a user whose token has the claim "admin". The owner of the service,
          // as which
          // the service itself writes, is not bound by rules.
          "rules": {
            ".read": "auth.token.admin === true",
            ".write": "auth.token.admin === true",%check%

            // %profiles%
            "people": {%people%
              ".indexOn": ["_search_index/full_name", "_search_index/reversed_full_name"],
              "$uid": {%person%
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                // Any name on one line, as /v1/people accepts it.
                "full_name": {%name% ".validate": "newData.isString() && newData.val().length < 200 && newData.val().matches(/\\S/) && !newData.val().matches(/[\\n\\r\\t]/)" },
                "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "displayName": { ".validate": "newData.isString() && newData.val().length < 200" },
                "photoUrl": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "_search_index": {
                  ".validate": "newData.hasChildren()",
                  "full_name": { ".validate": "newData.isString() && newData.val().length < 200" },
                  "reversed_full_name": { ".validate": "newData.isString() && newData.val().length < 200" },
                  "$other": { ".validate": false }
                },
                // The person's own posts, as far as there are any.
                "posts": {
                  ".validate": "newData.hasChildren()",
                  "$post": { ".validate": "newData.val() === true && newData.parent().parent().parent().parent().child('posts').child($post).child('author/uid').val() === $uid" }
                },
                // The people that the person follows: true, or the last post that the feed has of them. The service
                // adds the
                // other side. Nobody follows themselves, or a person who has blocked them.
                "following": {
                  ".validate": "newData.hasChildren()",
                  "$followed": { ".validate": "(data.exists() || root.child('privacy').child($uid).child('data_processing').val() !== false) && (newData.val() === true || newData.isString() && newData.val().length < 100) && $followed !== $uid && newData.parent().parent().parent().parent().child('people').child($followed).exists() && !newData.parent().parent().parent().parent().child('blocking').child($uid).hasChild($followed) && !newData.parent().parent().parent().parent().child('blocking').child($followed).hasChild($uid)" }
                },
                "role": { ".validate": "newData.isString() && newData.val().length < 200" },
                "bio": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "notificationEnabled": { ".validate": "newData.isBoolean()" },
                // The service moves them from here to "notification_tokens" below.
                "notificationTokens": {
                  ".validate": "newData.hasChildren()",
                  "$token": { ".validate": "newData.val() === true" }
                },
                "$other": { ".validate": false }
              }
            },

            // Posts: created and deleted whole, and changed field by field, by their authors. Only the service writes
            // the
            // renditions of their photos.
            "posts": {%posts%
              ".indexOn": ["author/uid", "timestamp"],
              "$post": {%post%
                ".write": "auth !== null && (data.exists() ? !newData.exists() && data.child('author/uid').val() === auth.uid : !newData.exists() || newData.child('author/uid').val() === auth.uid && root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                ".validate": "newData.hasChildren(['author/uid', 'timestamp']) && (newData.hasChild('full_url') || newData.hasChild('text')) && !newData.parent().parent().child('audience_posts').child($post).exists()",
                "author": {
                  ".write": "auth !== null && newData.exists() && data.child('uid').val() === auth.uid",
                  "uid": { ".validate": "newData.val() === auth.uid" },
                  // The name in the author's profile or token; authors without a name are Anonymous.
                  "full_name": { ".validate": "newData.val() === auth.token.name || auth.token.name === null && newData.val() === 'Anonymous' || newData.val() === newData.parent().parent().parent().parent().child('people').child(auth.uid).child('full_name').val()" },
                  "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                  "$other": { ".validate": false }
                },
                "text": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid && (!newData.exists() || root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                // The people that parts of the text mention, in UTF-16 units.
                "mentions": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid && (!newData.exists() || root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                  ".validate": "newData.hasChildren()",
                  "$number": {
                    ".validate": "$number.matches(/^[12]?[0-9]$/) && newData.hasChildren(['uid', 'start', 'length']) && newData.child('start').val() + newData.child('length').val() <= newData.parent().parent().child('text').val().length",
                    "uid": { ".validate": "newData.isString() && newData.val().matches(/^[A-Za-z0-9_-]+$/) && newData.val().length <= 128 && newData.parent().parent().parent().parent().parent().child('people').child(newData.val()).exists()" },
                    "start": { ".validate": "newData.isNumber() && newData.val() >= 0 && newData.val() % 1 === 0" },
                    "length": { ".validate": "newData.isNumber() && newData.val() >= 1 && newData.val() % 1 === 0" },
                    "$other": { ".validate": false }
                  }
                },
                "timestamp": { ".validate": "newData.val() === now" },
                "client": { ".validate": "newData.isString() && newData.val().matches(/^(web|ios|android)$/)" },
                "full_url": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                "thumb_url": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                "full_storage_uri": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                "thumb_storage_uri": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                // "photos", "kind", "published", "client_ref", "sanitized", "moderated", and further fields of the
                // service.
                "$other": { ".validate": "auth.token.admin === true" }
              }
            },

        \#(audiencesText)

            // The posts on each person's home screen.
            "feed": {
              "$uid": {
                ".read": "auth.uid === $uid%member%",
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                "$post": { ".validate": "newData.val() === true && newData.parent().parent().parent().child('posts').child($post)%isSeen%" }
              }
            },

            "comments": {%reactions%
              "$post": {%reaction%
                ".indexOn": "author/uid",
                // The author of the post may delete all of them, together with the post.
                ".write": "auth !== null && !newData.exists() && (!data.exists() || root.child('posts').child($post).child('author/uid').val() === auth.uid && !newData.parent().parent().child('posts').child($post).exists())",
                ".validate": "newData.parent().parent().child('posts').child($post)%isSeen%",
                "$comment": {
                  // Written, changed and deleted by its author, and deleted by the post's; not written if one of the
                  // two has
                  // blocked the other.
                  ".write": "auth !== null && (newData.exists() ? (!data.exists() || data.child('author/uid').val() === auth.uid) && newData.child('author/uid').val() === auth.uid && root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false && !root.child('blocked').child(auth.uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()) && !root.child('blocking').child(auth.uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()) : !data.exists() || data.child('author/uid').val() === auth.uid || root.child('posts').child($post).child('author/uid').val() === auth.uid)",
                  ".validate": "newData.hasChildren(['author/uid', 'text', 'timestamp'])",
                  "author": {
                    "uid": { ".validate": "newData.val() === auth.uid" },
                    "full_name": { ".validate": "newData.val() === auth.token.name || auth.token.name === null && newData.val() === 'Anonymous' || newData.val() === newData.parent().parent().parent().parent().parent().child('people').child(auth.uid).child('full_name').val()" },
                    "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                    "$other": { ".validate": false }
                  },
                  "text": { ".validate": "newData.isString() && newData.val().length < 2000" },
                  "timestamp": { ".validate": "newData.val() === (data.exists() ? data.val() : now) || newData.val() === now" },
                  // The time of the last change of the text; only for a comment that existed before.
                  "edited": { ".validate": "data.parent().exists() && (newData.val() === now || newData.val() === data.val())" },
                  // The times by the clock of the author's device, which only the service writes.
                  "client_timestamp": { ".validate": "newData.val() === data.val()" },
                  "client_edited": { ".validate": "newData.val() === data.val()" },
                  // The people that parts of the text mention, in UTF-16 units.
                  "mentions": {
                    ".validate": "newData.hasChildren()",
                    "$number": {
                      ".validate": "$number.matches(/^[12]?[0-9]$/) && newData.hasChildren(['uid', 'start', 'length']) && newData.child('start').val() + newData.child('length').val() <= newData.parent().parent().child('text').val().length",
                      "uid": { ".validate": "newData.isString() && newData.val().matches(/^[A-Za-z0-9_-]+$/) && newData.val().length <= 128 && newData.parent().parent().parent().parent().parent().parent().child('people').child(newData.val()).exists()" },
                      "start": { ".validate": "newData.isNumber() && newData.val() >= 0 && newData.val() % 1 === 0" },
                      "length": { ".validate": "newData.isNumber() && newData.val() >= 1 && newData.val() % 1 === 0" },
                      "$other": { ".validate": false }
                    }
                  },
                  "$other": { ".validate": "auth.token.admin === true" }
                }
              }
            },

            "likes": {%reactions%
              "$post": {%reaction%
                ".indexOn": ".value",
                ".write": "auth !== null && !newData.exists() && (!data.exists() || root.child('posts').child($post).child('author/uid').val() === auth.uid && !newData.parent().parent().child('posts').child($post).exists())",
                ".validate": "newData.parent().parent().child('posts').child($post)%isSeen%",
                "$uid": {
                  // Not if one of the two has blocked the other; removed at any time.
                  ".write": "auth.uid === $uid && (!newData.exists() || root.child('privacy').child($uid).child('data_processing').val() !== false && !root.child('blocked').child($uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()) && !root.child('blocking').child($uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()))",
                  ".validate": "newData.val() === now"
                }
              }
            },

            // The other side of people/$follower/following/$followed: each adds and removes the other.
            "followers": {%followers%
              "$followed": {%followed%
                "$follower": {
                  ".write": "auth.uid === $follower && (!newData.exists() || data.exists() || root.child('privacy').child($follower).child('data_processing').val() !== false)",
                  ".validate": "(newData.val() === true || newData.isString() && newData.val().length < 100) && $followed !== $follower && newData.parent().parent().parent().child('people').child($followed).exists() && !newData.parent().parent().parent().child('blocking').child($follower).hasChild($followed) && !newData.parent().parent().parent().child('blocking').child($followed).hasChild($follower)"
                }
              }
            },

            // The blocks, by the person who blocks and by the person who is blocked: each adds and removes the other. A
            // block
            // ends the follows between the two.
            "blocking": {
              "$blocker": {
                ".read": "auth.uid === $blocker%member%",
                "$blocked": {
                  ".read": "auth.uid === $blocked%member%",
                  ".write": "auth.uid === $blocker",
                  ".validate": "newData.val() === true && $blocked !== $blocker"
                }
              }
            },
            "blocked": {
              "$blocked": {
                ".read": "auth.uid === $blocked%member%",
                "$blocker": {
                  ".read": "auth.uid === $blocker%member%",
                  ".write": "auth.uid === $blocker",
                  ".validate": "newData.val() === true && $blocked !== $blocker"
                }
              }
            },

            // The posts and comments that users flag for an admin.
            "postFlags": {
              "$post": {
                ".validate": "newData.parent().parent().child('posts').child($post)%isSeen%",
                "$uid": {
                  ".read": "auth.uid === $uid%member%",
                  ".write": "auth.uid === $uid",
                  ".validate": "newData.val() === true"
                }
              }
            },
            "commentFlags": {
              "$post": {
                "$comment": {
                  ".validate": "newData.parent().parent().parent().child('comments').child($post).child($comment).exists()",
                  "$uid": {
                    ".read": "auth.uid === $uid%member%",
                    ".write": "auth.uid === $uid",
                    ".validate": "newData.val() === true"
                  }
                }
              }
            },

            // The consents of a person; a missing one counts as given. Without "data_processing" nothing new of theirs
            // is
            // accepted, without "content" no posts and comments, and without "social" nobody finds them by name.
            "privacy": {
              "$uid": {
                ".read": "auth.uid === $uid%member%",
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                "data_processing": { ".validate": "newData.isBoolean()" },
                "content": { ".validate": "newData.isBoolean()" },
                "social": { ".validate": "newData.isBoolean()" },
                "$other": { ".validate": false }
              }
            },

            // Written by the service alone: hashtags, counters, announcements and notifications.
            "hashtags": { %hashtags% },
            "stats": { %stats% },
            "announcements": { %announcements% },
            "notifications": {
              "$uid": {
                ".read": "auth.uid === $uid%member%",
                // The reader removes the mark of a notification; everything else stays as it is.
                "$notification": {
                  "unread": { ".write": "auth.uid === $uid && !newData.exists()" }
                }
              }
            },
            // The number of notifications that have the mark.
            "unread": {
              "$uid": { ".read": "auth.uid === $uid%member%" }
            },
            // The tokens of a person's devices.
            "notification_tokens": {
              "$uid": {
                ".read": "auth.uid === $uid%member%",
                "$token": { ".write": "auth.uid === $uid", ".validate": "newData.val() === true" }
              }
            },
            "admins": {
              "$uid": { ".validate": "newData.isString()" }
            },

            "$other": { ".validate": false }
          }
        }
        """#
}
