"""Defaults < file < environment < flags, and every fault told at once."""

import attrs
import pytest

from hyphe_core.config import (
    Config,
    Source,
    config_environment,
    config_warnings,
    find_config_file,
    list_settings,
    load_config,
    load_config_with_sources,
    shown_value,
)
from hyphe_core.errors import CallerFault, ConfigError
from hyphe_core.logs import LogFormat


def faults_of(**given):
    with pytest.raises(ConfigError) as caught:
        load_config(**({"environ": {}} | given))
    return caught.value.faults


def test_each_source_wins_over_those_before_it(tmp_path):
    file = tmp_path / "hyphe.toml"
    file.write_text('port = 1\nper_host = 2\ndelay_seconds = 3\nlog_level = "debug"\n')
    environ = {"HYPHE_PER_HOST": "5", "HYPHE_DELAY_SECONDS": "6.5"}
    loaded = load_config_with_sources(file, environ, {"delay_seconds": 7.25, "n_retries": None})
    config = loaded.config
    assert (config.port, config.per_host, config.delay_seconds, config.n_retries) == (1, 5, 7.25, 2)
    assert config.log_level == "DEBUG"
    names = ("port", "per_host", "delay_seconds", "n_retries")
    assert [loaded.sources[name] for name in names] == [
        Source.FILE, Source.ENVIRONMENT, Source.FLAG, Source.DEFAULT,
    ]  # fmt: skip


def test_all_faults_of_all_sources_are_told_at_once(tmp_path):
    file = tmp_path / "hyphe.toml"
    file.write_text('prot = 1\nper_host = "many"\n[tables]\nx = 1\n')
    faults = faults_of(
        file=file, environ={"HYPHE_OBEY_ROBOT": "1", "HYPHE_PORT": "70000"}, overrides={"delay_seconds": -1}
    )
    assert len(faults) == 6
    text = "\n".join(faults)
    assert "prot: unknown setting; did you mean port?" in text
    assert "HYPHE_OBEY_ROBOT: unknown setting; did you mean obey_robots?" in text
    assert "'many' is not accepted; a whole number from 1 to 64 is accepted" in text
    assert "a whole number from 0 to 65535 is accepted" in text
    assert "a number from 0 to 3600 is accepted" in text


@pytest.mark.parametrize("text", ["port = ", "\xff"])
def test_a_file_that_is_no_toml_is_a_fault(tmp_path, text):
    file = tmp_path / "hyphe.toml"
    file.write_bytes(text.encode("latin-1"))
    assert "is not TOML" in faults_of(file=file)[0]


def test_a_file_that_is_absent_is_a_fault(tmp_path):
    assert "there is no such file" in faults_of(file=tmp_path / "none.toml")[0]


def test_the_error_is_a_caller_fault_and_a_value_error():
    assert issubclass(ConfigError, CallerFault)
    assert issubclass(ConfigError, ValueError)


def test_a_secret_is_in_no_fault_and_never_shown():
    fault = faults_of(overrides={"mongodb_uri": "postgres://user:hunter2@host"})[0]
    assert "hunter2" not in fault
    assert (
        shown_value("mongodb://user:hunter2@host:1/?password=hunter2", secret=True)
        == "mongodb://***@host:1/?***"
    )
    assert shown_value("hunter2", secret=True) == "***"
    assert shown_value("", secret=True) == "empty"


def test_names_that_are_no_settings_are_left_alone():
    environ = {"HYPHE_TEST_MONGODB_URI": "x", "HYPHE_CONFIG": "x", "HOME": "/x", "PATH": ""}
    assert load_config(None, environ) == load_config(None, {})


def test_a_child_process_gets_exactly_the_same():
    config = load_config(
        None,
        {},
        {
            "port": 1,
            "allowed_origins": ["http://a", "http://b"],
            "delay_seconds": 0.1,
            "obey_robots": False,
            "proxy": "http://u:p@h:1",
            "precision_limit": 3,
            "log_format": "json",
        },
    )
    assert load_config(None, config_environment(config)) == config
    assert config.log_format is LogFormat.JSON


def test_every_setting_can_be_given_as_text_and_has_a_description():
    settings = list_settings()
    assert [setting.name for setting in settings] == [field.name for field in attrs.fields(Config)]
    for setting in settings:
        assert setting.description.endswith("."), setting.name
        assert setting.group
    assert len({setting.environment_name for setting in settings}) == len(settings)


def test_a_configuration_is_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        load_config(None, {}).port = 3


def test_the_user_agent_names_the_operator_unless_given():
    assert "me@lab.example" in load_config(None, {}, {"operator_contact": "me@lab.example"}).user_agent
    assert load_config(None, {}, {"user_agent": "mine/1.0"}).user_agent == "mine/1.0"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("obey_robots", "perhaps"),
        ("user_agent", ""),
        ("user_agent", "a\nb"),
        ("port", True),
        ("port", 1.5),
        ("delay_seconds", "nan"),
        ("delay_seconds", float("inf")),
        ("log_level", "LOUD"),
        ("allowed_origins", 3),
        ("proxy", "h:1"),
        ("proxy", "ftp://h"),
        ("proxy", "http://[h"),
        ("mongodb_uri", "mongodb://"),
        ("data_dir", 3),
    ],
)
def test_values_outside_what_is_accepted_are_refused(name, value):
    (fault,) = faults_of(overrides={name: value})
    assert fault.startswith(f"flag {name}: ")
    assert "accepted" in fault


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("obey_robots", "Off", False),
        ("obey_robots", "1", True),
        ("allowed_origins", "http://a, http://b,", ("http://a", "http://b")),
        ("precision_limit", "none", None),
        ("proxy", "", None),
        ("delay_seconds", 2, 2.0),
        ("port", " 80 ", 80),
    ],
)
def test_values_are_read_from_text_too(name, value, read):
    assert getattr(load_config(None, {}, {name: value}), name) == read


def test_batches_may_not_outlast_leases():
    assert "lease_seconds" in faults_of(overrides={"batch_seconds": 20, "lease_seconds": 30})[0]


def test_the_file_is_that_of_the_environment_else_of_the_folder(tmp_path):
    assert find_config_file({}, tmp_path) is None
    (tmp_path / "hyphe.toml").write_text("")
    assert find_config_file({}, tmp_path) == tmp_path / "hyphe.toml"
    assert str(find_config_file({"HYPHE_CONFIG": "/elsewhere.toml"}, tmp_path)) == "/elsewhere.toml"


def test_what_is_risky_is_warned_of():
    risky = {"host": "0.0.0.0", "obey_robots": False, "hyphe_compatible_access": True}
    assert len(config_warnings(load_config(None, {}, risky))) == 4
    good = {"operator_contact": "me@lab.example"}
    assert config_warnings(load_config(None, {}, good)) == []
