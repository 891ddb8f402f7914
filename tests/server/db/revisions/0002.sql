BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE attempts (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	submission_id VARCHAR(32) NOT NULL, 
	question_id VARCHAR(80) NOT NULL, 
	role VARCHAR(80), 
	round VARCHAR(40) NOT NULL, 
	topic VARCHAR NOT NULL, 
	engine VARCHAR(500) NOT NULL, 
	created_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	submission JSON NOT NULL, 
	question JSON NOT NULL, 
	CONSTRAINT uq_attempts_submission_id UNIQUE (submission_id)
);
INSERT INTO "attempts" VALUES(1,'00000000000000000000000000000001','kv-cache','ml-engineer','domain-deep-dive','KV Cache Management','faster-whisper','2026-03-01 12:00:00.000000','2026-03-02 12:00:01.000000','{"submission_id": "00000000000000000000000000000001", "question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "evidence": {"answer_start_s": null, "answer_end_s": null, "pauses": null, "heard": [], "hearing_version": null}}','{"id": "kv-cache", "role": "ml-engineer", "round": "domain-deep-dive", "topic": "KV Cache Management", "signals": [], "difficulty": 3, "prompt": "How do you size a KV cache?", "answer_seconds": 120, "model_answer": "I page the cache and batch continuously.", "key_phrases": [{"phrase": "paged attention", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}, {"phrase": "continuous batching", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}]}');
INSERT INTO "attempts" VALUES(2,'00000000000000000000000000000002','kv-cache','ml-engineer','domain-deep-dive','KV Cache Management','faster-whisper','2026-03-01 12:00:00.000000','2026-03-02 12:00:02.000000','{"submission_id": "00000000000000000000000000000002", "question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "evidence": {"answer_start_s": null, "answer_end_s": null, "pauses": null, "heard": [], "hearing_version": null}}','{"id": "kv-cache", "role": "ml-engineer", "round": "domain-deep-dive", "topic": "KV Cache Management", "signals": [], "difficulty": 3, "prompt": "How do you size a KV cache?", "answer_seconds": 120, "model_answer": "I page the cache and batch continuously.", "key_phrases": [{"phrase": "paged attention", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}, {"phrase": "continuous batching", "aliases": [], "why": "", "follow_up": "", "weight": 1.0}]}');
CREATE TABLE drill_cards (
	item_id VARCHAR(160) NOT NULL, 
	drill_set VARCHAR(80) NOT NULL, 
	due DATETIME NOT NULL, 
	card JSON NOT NULL, 
	CONSTRAINT pk_drill_cards PRIMARY KEY (item_id)
);
INSERT INTO "drill_cards" VALUES('roce','acronyms','2026-03-02 12:01:00.000000','{"item_id": "roce", "drill_set": "acronyms", "due": "2026-03-02T12:01:00Z", "stability": 0.24668918777567272, "difficulty": 6.402115069296838, "reps": 2, "lapses": 0, "misses": 1, "last_verdict": "correct", "first_reviewed_at": "2026-03-01T12:00:00Z", "last_reviewed_at": "2026-03-01T12:01:00Z"}');
CREATE TABLE drill_reviews (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	review_id VARCHAR(32) NOT NULL, 
	item_id VARCHAR(160) NOT NULL, 
	drill_set VARCHAR(80) NOT NULL, 
	reviewed_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	review JSON NOT NULL, 
	CONSTRAINT uq_drill_reviews_review_id UNIQUE (review_id)
);
INSERT INTO "drill_reviews" VALUES(1,'00000000000000000000000000000001','roce','acronyms','2026-03-01 12:00:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000001", "item_id": "roce", "drill_set": "acronyms", "reviewed_at": "2026-03-01T12:00:00Z", "verdict": "mispronounced", "phones": "R OW1 S", "confidence": 0.97}');
INSERT INTO "drill_reviews" VALUES(2,'00000000000000000000000000000002','roce','acronyms','2026-03-01 12:01:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000002", "item_id": "roce", "drill_set": "acronyms", "reviewed_at": "2026-03-01T12:01:00Z", "verdict": "correct", "phones": "R AA1 K IY0", "confidence": 0.99}');
INSERT INTO "drill_reviews" VALUES(3,'00000000000000000000000000000003','debt','silent-letters','2026-03-01 12:02:00.000000','2026-03-02 12:00:00.000000','{"review_id": "00000000000000000000000000000003", "item_id": "debt", "drill_set": "silent-letters", "reviewed_at": "2026-03-01T12:02:00Z", "verdict": "unclear", "phones": "", "confidence": 0.4}');
CREATE TABLE reports (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	attempt_id INTEGER NOT NULL, 
	grader_version VARCHAR(100) NOT NULL, 
	bank_version VARCHAR(100) NOT NULL, 
	graded_at DATETIME NOT NULL, 
	score FLOAT NOT NULL, 
	words INTEGER NOT NULL, 
	answer_s FLOAT, 
	report JSON NOT NULL, 
	CONSTRAINT fk_reports_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id) ON DELETE CASCADE
);
INSERT INTO "reports" VALUES(1,1,'stub-1','bank-1','2026-03-02 12:00:01.000000',0.5,4,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-1", "bank_version": "bank-1", "notices": [], "transcript": {"text": "paged attention, first answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.5, "phrases": [{"phrase": "paged attention", "status": "covered", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 4, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}');
INSERT INTO "reports" VALUES(2,2,'stub-1','bank-1','2026-03-02 12:00:02.000000',0.0,2,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-1", "bank_version": "bank-1", "notices": [], "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.0, "phrases": [{"phrase": "paged attention", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 2, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}');
INSERT INTO "reports" VALUES(3,2,'stub-2','bank-1','2026-03-05 00:00:00.000000',0.0,2,12.5,'{"question_id": "kv-cache", "created_at": "2026-03-01T12:00:00Z", "schema_version": 1, "grader_version": "stub-2", "bank_version": "bank-1", "notices": [], "transcript": {"text": "second answer", "language": "en", "engine": "faster-whisper", "model": "base.en", "duration_s": null, "words": []}, "coverage": {"score": 0.0, "phrases": [{"phrase": "paged attention", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}, {"phrase": "continuous batching", "status": "missing", "how": null, "evidence": null, "negated": false, "weight": 1.0, "why": "", "follow_up": ""}]}, "pronunciation": {"terms": []}, "delivery": {"words": 2, "words_per_minute": null, "articulation_rate": null, "pauses": [], "fillers": [], "fillers_are_lower_bound": true, "longest_pause_s": null, "repeated_starts": [], "answer_s": 12.5, "target_s": 120.0}, "language": {"notes": []}, "summary": {"went_well": [], "work_on": []}}');
CREATE INDEX ix_attempts_question_id ON attempts (question_id);
CREATE INDEX ix_attempts_role ON attempts (role);
CREATE INDEX ix_attempts_created_at_id ON attempts (created_at, id);
CREATE INDEX ix_reports_attempt_id_id ON reports (attempt_id, id);
CREATE INDEX ix_drill_reviews_item_id ON drill_reviews (item_id);
CREATE INDEX ix_drill_cards_due ON drill_cards (due);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('attempts',2);
INSERT INTO "sqlite_sequence" VALUES('reports',3);
INSERT INTO "sqlite_sequence" VALUES('drill_reviews',3);
COMMIT;
