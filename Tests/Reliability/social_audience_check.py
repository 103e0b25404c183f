"""The invariants of audiences and their stories when the service is idle."""


class AudienceLook:
    def check_audiences(self):
        model = self.model
        for audience in model.audience_names:
            record = model.audiences.get(audience)
            expected = {field: value for field, value in record.items() if value} if record else None
            self.expect(f"audiences/{audience}", self.at(f"audiences/{audience}"), expected)
            found, status = self.group.walk_stories(f"/v1/audiences/{audience}/posts", 5)
            self.expect(f"the story of {audience}", (found, status), (model.story(audience), 200 if record else 404))
        for uid in model.people:
            self.expect(f"memberships/{uid}", self.at(f"memberships/{uid}") or {}, model.memberships(uid))
        for uid in model.present():
            found, _ = self.group.walk_stories(f"/v1/people/{uid}/stories", 5)
            self.expect(f"stories of {uid}", found, model.stories(uid))

    def check_story_posts(self):
        """Each post is listed with all of its audiences, with a copy for each, and nowhere else."""
        model = self.model
        theirs = {post for post, record in (self.at("audience_posts") or {}).items()
                  if record["author"]["uid"] in model.people}
        self.expect("posts for audiences", theirs, set(model.story_posts))
        for post, record in model.story_posts.items():
            path = f"audience_posts/{post}"
            self.check_author(path, record)
            self.expect(f"text of {path}", self.at(f"{path}/text"), record["text"])
            self.expect(f"audiences of {path}", self.keys(f"{path}/audiences"), record["audiences"])
            self.expect(f"posts/{post}", self.at(f"posts/{post}"), None)
        for audience in model.audience_names:
            self.expect(f"stories/{audience}", self.keys(f"stories/{audience}"), set(model.story(audience)))
            for post in self.keys(f"stories/{audience}") & theirs:
                copy = {name: value for name, value in self.at(f"audience_posts/{post}").items() if name != "audiences"}
                self.expect(f"stories/{audience}/{post}", self.at(f"stories/{audience}/{post}"), copy)
