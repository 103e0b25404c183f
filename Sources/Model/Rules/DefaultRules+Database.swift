extension DefaultRules {
    /// The rules of the tree.
    package static let database = #"""
        {
          // Who may do what. An admin is somebody whose token has the claim "admin". Whoever writes as the owner of the
          // service, as the service itself does, is not asked.
          "rules": {
            ".read": "auth.token.admin === true",
            ".write": "auth.token.admin === true",

            // Public profiles, each written by whom it is about. All of it can be read by everybody.
            "people": {
              ".read": true,
              ".indexOn": ["_search_index/full_name", "_search_index/reversed_full_name"],
              "$uid": {
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                // Any name on one line, as /v1/people takes it.
                "full_name": { ".validate": "newData.isString() && newData.val().length < 200 && newData.val().matches(/\\S/) && !newData.val().matches(/[\\n\\r\\t]/)" },
                "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "displayName": { ".validate": "newData.isString() && newData.val().length < 200" },
                "photoUrl": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "_search_index": {
                  ".validate": "newData.hasChildren()",
                  "full_name": { ".validate": "newData.isString() && newData.val().length < 200" },
                  "reversed_full_name": { ".validate": "newData.isString() && newData.val().length < 200" },
                  "$other": { ".validate": false }
                },
                // One's own posts, as far as there are any.
                "posts": {
                  ".validate": "newData.hasChildren()",
                  "$post": { ".validate": "newData.val() === true && newData.parent().parent().parent().parent().child('posts').child($post).child('author/uid').val() === $uid" }
                },
                // Whom one follows: true, or the last post that the feed has of them. The service adds the other side of
                // it. Nobody follows themselves, nor whoever has blocked them.
                "following": {
                  ".validate": "newData.hasChildren()",
                  "$followed": { ".validate": "(data.exists() || root.child('privacy').child($uid).child('data_processing').val() !== false) && (newData.val() === true || newData.isString() && newData.val().length < 100) && $followed !== $uid && newData.parent().parent().parent().parent().child('people').child($followed).exists() && !newData.parent().parent().parent().parent().child('blocking').child($uid).hasChild($followed) && !newData.parent().parent().parent().parent().child('blocking').child($followed).hasChild($uid)" }
                },
                "role": { ".validate": "newData.isString() && newData.val().length < 200" },
                "bio": { ".validate": "newData.isString() && newData.val().length < 2000" },
                "notificationEnabled": { ".validate": "newData.isBoolean()" },
                // The service takes them from here to "notification_tokens" below.
                "notificationTokens": {
                  ".validate": "newData.hasChildren()",
                  "$token": { ".validate": "newData.val() === true" }
                },
                "$other": { ".validate": false }
              }
            },

            // Posts: made and deleted whole, and changed field by field, by their authors. What the service makes of their
            // photos is its own to write.
            "posts": {
              ".read": true,
              ".indexOn": ["author/uid", "timestamp"],
              "$post": {
                ".write": "auth !== null && (data.exists() ? !newData.exists() && data.child('author/uid').val() === auth.uid : !newData.exists() || newData.child('author/uid').val() === auth.uid && root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                ".validate": "newData.hasChildren(['author/uid', 'timestamp']) && (newData.hasChild('full_url') || newData.hasChild('text')) && !newData.parent().parent().child('audience_posts').child($post).exists()",
                "author": {
                  ".write": "auth !== null && newData.exists() && data.child('uid').val() === auth.uid",
                  "uid": { ".validate": "newData.val() === auth.uid" },
                  // As the author's profile has it, or the token; who has no name is Anonymous.
                  "full_name": { ".validate": "newData.val() === auth.token.name || auth.token.name === null && newData.val() === 'Anonymous' || newData.val() === newData.parent().parent().parent().parent().child('people').child(auth.uid).child('full_name').val()" },
                  "profile_picture": { ".validate": "newData.isString() && newData.val().length < 2000" },
                  "$other": { ".validate": false }
                },
                "text": {
                  ".write": "auth !== null && data.parent().child('author/uid').val() === auth.uid && (!newData.exists() || root.child('privacy').child(auth.uid).child('data_processing').val() !== false && root.child('privacy').child(auth.uid).child('content').val() !== false)",
                  ".validate": "newData.isString() && newData.val().length < 2000"
                },
                // Whom a part of the text stands for, in UTF-16 units.
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
                // "photos", "kind", "published", "client_ref", "sanitized", "moderated", and what else the service may add.
                "$other": { ".validate": "auth.token.admin === true" }
              }
            },

        \#(audiences)

            // What each person sees on the home screen.
            "feed": {
              "$uid": {
                ".read": "auth.uid === $uid",
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                "$post": { ".validate": "newData.val() === true && newData.parent().parent().parent().child('posts').child($post).exists()" }
              }
            },

            "comments": {
              ".read": true,
              "$post": {
                ".indexOn": "author/uid",
                // All of them go with the post, by its author.
                ".write": "auth !== null && !newData.exists() && (!data.exists() || root.child('posts').child($post).child('author/uid').val() === auth.uid && !newData.parent().parent().child('posts').child($post).exists())",
                ".validate": "newData.parent().parent().child('posts').child($post).exists()",
                "$comment": {
                  // Written, changed and deleted by its author, and deleted by the post's; not written where one of the two has
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
                  // Of a comment that was there before: when its text was changed.
                  "edited": { ".validate": "data.parent().exists() && (newData.val() === now || newData.val() === data.val())" },
                  // Whom a part of the text stands for, in UTF-16 units.
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

            "likes": {
              ".read": true,
              "$post": {
                ".indexOn": ".value",
                ".write": "auth !== null && !newData.exists() && (!data.exists() || root.child('posts').child($post).child('author/uid').val() === auth.uid && !newData.parent().parent().child('posts').child($post).exists())",
                ".validate": "newData.parent().parent().child('posts').child($post).exists()",
                "$uid": {
                  // Not where one of the two has blocked the other; taken back at any time.
                  ".write": "auth.uid === $uid && (!newData.exists() || root.child('privacy').child($uid).child('data_processing').val() !== false && !root.child('blocked').child($uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()) && !root.child('blocking').child($uid).hasChild(newData.parent().parent().parent().child('posts').child($post).child('author/uid').val()))",
                  ".validate": "newData.val() === now"
                }
              }
            },

            // The other side of people/$follower/following/$followed: each brings the other, and takes it along.
            "followers": {
              ".read": true,
              "$followed": {
                "$follower": {
                  ".write": "auth.uid === $follower && (!newData.exists() || data.exists() || root.child('privacy').child($follower).child('data_processing').val() !== false)",
                  ".validate": "(newData.val() === true || newData.isString() && newData.val().length < 100) && $followed !== $follower && newData.parent().parent().parent().child('people').child($followed).exists() && !newData.parent().parent().parent().child('blocking').child($follower).hasChild($followed) && !newData.parent().parent().parent().child('blocking').child($followed).hasChild($follower)"
                }
              }
            },

            // Who has blocked whom, by the one and by the other: each brings the other, and takes it along. A block ends the
            // follows between the two.
            "blocking": {
              "$blocker": {
                ".read": "auth.uid === $blocker",
                "$blocked": {
                  ".read": "auth.uid === $blocked",
                  ".write": "auth.uid === $blocker",
                  ".validate": "newData.val() === true && $blocked !== $blocker"
                }
              }
            },
            "blocked": {
              "$blocked": {
                ".read": "auth.uid === $blocked",
                "$blocker": {
                  ".read": "auth.uid === $blocker",
                  ".write": "auth.uid === $blocker",
                  ".validate": "newData.val() === true && $blocked !== $blocker"
                }
              }
            },

            // What somebody finds that an admin should look at.
            "postFlags": {
              "$post": {
                ".validate": "newData.parent().parent().child('posts').child($post).exists()",
                "$uid": {
                  ".read": "auth.uid === $uid",
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
                    ".read": "auth.uid === $uid",
                    ".write": "auth.uid === $uid",
                    ".validate": "newData.val() === true"
                  }
                }
              }
            },

            // What somebody has agreed to; what is not there counts as agreed to. Without "data_processing" nothing new of theirs
            // is taken, without "content" no posts and comments, and without "social" nobody finds them by their name.
            "privacy": {
              "$uid": {
                ".read": "auth.uid === $uid",
                ".write": "auth.uid === $uid",
                ".validate": "newData.hasChildren()",
                "data_processing": { ".validate": "newData.isBoolean()" },
                "content": { ".validate": "newData.isBoolean()" },
                "social": { ".validate": "newData.isBoolean()" },
                "$other": { ".validate": false }
              }
            },

            // Written by the service alone: hashtags, counters, and what concerns somebody.
            "hashtags": { ".read": true },
            "stats": { ".read": true },
            "announcements": { ".read": true },
            "notifications": {
              "$uid": {
                ".read": "auth.uid === $uid",
                // Whoever has read one removes the mark; all else stays as it is.
                "$notification": {
                  "unread": { ".write": "auth.uid === $uid && !newData.exists()" }
                }
              }
            },
            // The number of them that have the mark.
            "unread": {
              "$uid": { ".read": "auth.uid === $uid" }
            },
            // The tokens of a person's devices.
            "notification_tokens": {
              "$uid": {
                ".read": "auth.uid === $uid",
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
