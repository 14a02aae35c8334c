# SPDX-License-Identifier: BSD-2-Clause-Patent
import inputs
import pytest


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    return inputs.Files(tmp_path_factory.mktemp("weird"))
